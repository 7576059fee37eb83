// Local maximisation over a convex set, in strict arithmetic.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace duets::problems {

/// The input of climb(). Strict functions give a strict result.
struct AscentProblem {
  std::function<double(std::span<const double>)> value;
  std::function<void(std::span<const double>, std::span<double>)> gradient;
  std::function<void(std::span<double>)> project;  ///< to the nearest point of the convex set
  double first_step = 1;  ///< > 0: the first move is first_step * gradient, shortened if too long
  double tolerance = 0;   ///< stop when a move promises no more than this
  int max_steps = 200;
};

struct Summit {
  std::vector<double> x;
  double value = 0;
};

/// Projected gradient ascent with Barzilai-Borwein steps, halved until the value grows (Armijo).
/// The value never falls below that of `start`, which must lie in the set.
Summit climb(const AscentProblem& problem, std::vector<double> start);

}  // namespace duets::problems
