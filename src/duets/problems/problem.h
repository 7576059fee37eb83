// The interface of a function to maximise, and what is known about it.
//
// Values are strict (the same bits on every machine): rewards enter the run digest, and regret
// should not depend on the computer that simulates. Only + - * / sqrt and the strict functions of
// numeric.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/domain/parameter.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"
#include "duets/random/coin.h"

namespace duets::problems {

/// The natural domain of a function.
enum class Shape : std::uint8_t {
  kCube,  ///< [0, 1]^d
  kBall,  ///< the unit ball of R^d; its sphere is part of it
};

/// What is known about a function over its whole natural domain.
struct Facts {
  std::string name;
  std::size_t dimension = 0;  ///< numbers that the function sees: coordinates, or features
  Shape shape = Shape::kCube;
  double maximum = 0;
  std::vector<std::vector<double>> maximisers{};  ///< empty when they are not isolated points
  bool maximum_is_numeric = false;  ///< found by search: a lower bound that is usually attained
  std::optional<double> norm{};     ///< the RKHS norm B, where known
  /// Not empty: the function lives on the box of these (kCube) and sees their features, one-hot and
  /// snapped (domain/parameter.h).
  std::vector<domain::Parameter> parameters{};
};

/// Immutable and thread-safe.
class Problem {
 public:
  virtual ~Problem() = default;
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  const Facts& facts() const { return facts_; }
  const std::string& name() const { return facts_.name; }
  std::size_t dimension() const { return facts_.dimension; }
  Shape natural_shape() const { return facts_.shape; }
  const std::vector<domain::Parameter>& parameters() const { return facts_.parameters; }
  double maximum() const { return facts_.maximum; }
  bool maximum_is_numeric() const { return facts_.maximum_is_numeric; }
  const std::vector<std::vector<double>>& maximisers() const { return facts_.maximisers; }

  /// f(x), x in natural coordinates; the formula is applied outside the domain too. Strict.
  /// kInvalid when x does not have dimension() coordinates.
  double value(std::span<const double> x) const;

  /// out[i] = value(row i of x), the same bits, faster for RKHS functions. kInvalid when the sizes
  /// do not fit.
  void values(const numeric::Points& x, std::span<double> out) const;

 protected:
  explicit Problem(Facts facts) : facts_(std::move(facts)) {}

 private:
  virtual double evaluate(std::span<const double> x) const = 0;
  virtual void evaluate_all(const numeric::Points& x, std::span<double> out) const;

  Facts facts_;
};

/// The options that a study may set for a function. Setting an option that a function does not have
/// is an error.
struct ProblemOptions {
  /// 1..kMaxDimension. h1, h2: at least 2, 10 when not given. rkhs: 2 when not given. The others
  /// have one dimension only, and accept no other.
  std::optional<std::size_t> dimension{};
  std::optional<Shape> shape{};              ///< rkhs only; kCube when not given
  std::optional<kernel::Kernel> kernel{};    ///< rkhs only; as in kernel.h when not given
  std::optional<std::size_t> num_centers{};  ///< rkhs only; 1..kMaxCenters, 30 when not given
  std::optional<double> norm{};              ///< rkhs only; 0 < B <= 1e100, 1 when not given
};

inline constexpr std::size_t kMaxDimension = 1024;
inline constexpr std::size_t kMaxCenters = 1000;

struct ProblemInfo {
  std::string_view name;
  std::string_view description;  ///< one line
};

/// Every name that make_problem accepts: those of the paper, then development.h, mixed.h,
/// held_out.h, held_out_mixed.h.
std::span<const ProblemInfo> problem_list();

/// Makes a function by name. Its random parameters come from `problem_coin`, Purpose::kProblem:
/// theta of h1 and h2 at slot 0; for rkhs see rkhs.h. kInvalid, naming the field, for an unknown
/// name or an option that breaks its constraint.
std::unique_ptr<Problem> make_problem(std::string_view name, const ProblemOptions& options,
                                      const random::Coin& problem_coin);

}  // namespace duets::problems
