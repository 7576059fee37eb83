// Test functions as data: a formula on the unit cube and what is known about it.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "duets/problems/problem.h"

namespace duets::problems {

/// A function of [0, 1]^d, or of named parameters, in the form that is maximised; the problem's
/// value is (formula - mean) / deviation. Mean and deviation are those of the formula over the cube
/// or the space, to four digits, so every problem has mean 0 and deviation 1 there, and a noise
/// level means the same in all.
struct Formula {
  std::string_view name;
  std::string_view description;  ///< one line, with the original box and the maximum
  std::size_t dimension = 0;     ///< as in Facts: with parameters the number of their features
  /// Strict. Reads `dimension` coordinates; with parameters the value of each instead, in its own
  /// units, of a categorical the index of the choice.
  double (*formula)(std::span<const double> x) = nullptr;
  double mean = 0;
  double deviation = 1;
  double maximum = 0;  ///< of the problem, computed with 50 digits and rounded
  std::vector<std::vector<double>> maximisers{};  ///< all; empty when they are not isolated points
  std::vector<domain::Parameter> parameters{};    ///< empty: the unit cube
};

/// The formula with that name, nullptr when there is none. O(size of the list).
const Formula* find_formula(std::span<const Formula> formulas, std::string_view name);

std::unique_ptr<Problem> make_formula(const Formula& formula);

/// low + (high - low) u: the original coordinate of a latent. Strict.
inline double stretched(double u, double low, double high) { return low + (high - low) * u; }

}  // namespace duets::problems
