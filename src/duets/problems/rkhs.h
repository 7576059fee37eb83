// Random functions of known RKHS norm, the only ones that satisfy the theory's assumptions exactly.
#pragma once

#include <memory>

#include "duets/problems/expansion.h"
#include "duets/problems/problem.h"

namespace duets::problems {

struct RkhsOptions {
  std::size_t dimension = 2;  ///< 1..kMaxDimension
  Shape shape = Shape::kCube;
  kernel::Kernel kernel{};       ///< must fit the dimension
  std::size_t num_centers = 30;  ///< 1..kMaxCenters
  double norm = 1;               ///< B; 0 < B <= 1e100
};

/// A kernel expansion as a function to maximise.
class RkhsFunction final : public Problem {
 public:
  RkhsFunction(Facts facts, Expansion expansion)
      : Problem(std::move(facts)), expansion_(std::move(expansion)) {}

  const Expansion& expansion() const { return expansion_; }

 private:
  double evaluate(std::span<const double> x) const override { return expansion_.value(x); }
  void evaluate_all(const numeric::Points& x, std::span<double> out) const override {
    expansion_.values(x, out);
  }

  Expansion expansion_;
};

/// Draws centers uniformly in the cube or ball, and normal weights that are then scaled so that the
/// squared norm a^T K a is B^2, up to rounding.
///
/// The maximum is found by search (maximum_is_numeric): from the best 16 of the centers and 1024
/// random points by local ascent. It is strict like the values.
///
/// Draws, at Purpose::kProblem: slot i, attempt 0 is center i; slot i, attempt 1 the weight of
/// center i; slot i, attempt 2 the i-th point of the search.
///
/// kInvalid, naming the field, when an option breaks its constraint; kNumeric when a^T K a is lost
/// to rounding. O((n + 1024) n d) and some thousands of evaluations of O(n d).
std::unique_ptr<RkhsFunction> make_rkhs(const RkhsOptions& options,
                                        const random::Coin& problem_coin);

}  // namespace duets::problems
