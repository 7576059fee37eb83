// Empirical Bayes: fits the parameters of a Gaussian process to its first few hundred rewards.
#pragma once

#include <cstddef>

#include "duets/gp/evidence.h"

namespace duets::gp {

struct FitOptions {
  /// A length scale for each feature, if that explains the rewards much better than one for all.
  bool relevance = false;
  /// The family that explains the rewards best: the guess's, squared exponential or Matern 5/2.
  bool family = false;
  /// Only the first rows are used, at most this many; > 0. Time grows with the cube.
  std::size_t max_rows = 200;
};

struct Fit {
  Parameters parameters;
  double log_evidence = 0;  ///< gp::log_evidence of the rows used
  bool guessed = false;     ///< too little to learn from: the guess, at the rewards' scale
};

/// From fewer rewards than this only offset and scale are learned.
inline constexpr std::size_t kFewestRewards = 20;

/// Maximises the log_evidence over
///   length scales: guess x {.35 .5 .7 1 1.4 2 2.8}, lambda: variance x {.01 .04 .1 .2 .5 1 3},
/// with the variance that is best for each, y^T (K + noise I)^-1 y / n; the offset is the mean of
/// the rows used. guess.variance is not used. The result has as many length scales as the guess.
///
/// With `family`, the same with other families; one that is not the guess's must gain 2.
///
/// With `relevance`, each length scale then takes the best multiple {.25 .35 .5 .7 1 1.4 2 2.8 4
/// 5.6 8} of that, one after the other, in up to three sweeps. The result has a length scale for
/// each feature if together they gain more than 0.5 for each, and is as without `relevance`
/// otherwise.
///
/// Below kFewestRewards: the guess, lambda = kExpectedNoise variance, and the variance of the
/// rewards (n - 1 in the denominator). When all rewards are equal, or differ by less than 2^-450,
/// their scale is unknown and the variance is 1.
///
/// Equivariant: y -> a y + c multiplies variance and lambda by a^2 and does the same to the offset;
/// exactly if a is a power of two and c = 0, to rounding otherwise.
///
/// kInvalid when shapes do not fit or something is not finite, or a reward is beyond 2^450. With n
/// = 200 rows 7 ms, with `relevance` 25 ms (6 features) to 250 ms (50). O(n^3).
Fit fit_parameters(const kernel::Kernel& guess, const numeric::Points& features,
                   const numeric::Vector& rewards, const FitOptions& options = {});

}  // namespace duets::gp
