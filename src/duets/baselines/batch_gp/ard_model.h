// A Gaussian process with a Matern 5/2 kernel and a length scale for each parameter, fitted by its
// evidence.
#pragma once

#include <cstddef>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::baselines {

/// Which length scale each feature has: the columns of a categorical share one.
struct ScaleGroups {
  std::vector<std::size_t> of_feature{};
  std::vector<double> usual{};  ///< for each group, the median of its prior; > 0
};

/// Logarithms of the length scales of the groups, then of noise variance / kernel variance.
using ArdTheta = numeric::Vector;

/// Log evidence of the rewards plus weak priors, as a function of theta. Mean and variance of the
/// process are those that are best for each theta. Rewards should have deviation 1: one imagined
/// reward of that size keeps the variance from 0. Priors: ln scale ~ N(ln usual, 1),
/// ln noise ~ N(ln 0.05, 4).
class ArdEvidence {
 public:
  /// n x d features with n >= 2, n rewards. Memory n^2 for each group.
  ArdEvidence(const ScaleGroups& groups, const numeric::Points& features, numeric::Vector rewards);

  /// O(n^3 / 3 + groups n^2). -infinity where K + noise I cannot be factored.
  double value(const ArdTheta& theta) const;
  /// O(n^3 + groups n^2).
  numeric::Vector gradient(const ArdTheta& theta) const;

  ArdTheta usual() const;
  /// Into the range that is searched: scales within a factor of 50 of the usual, noise 1e-6 to 10.
  void clamp(ArdTheta& theta) const;
  /// The best of the local maxima that are found from the starts.
  ArdTheta best(const std::vector<ArdTheta>& starts) const;

 private:
  struct Factored;
  Factored factored(const ArdTheta& theta) const;

  ScaleGroups groups_;
  numeric::Vector rewards_;
  std::vector<numeric::Matrix> squares_;  // of differences, summed over the features of a group
};

/// The posterior for one theta. Immutable.
class ArdModel {
 public:
  /// kNumeric when K + noise I cannot be factored. O(n^3 / 3).
  ArdModel(const ScaleGroups& groups, const ArdTheta& theta, const numeric::Points& features,
           const numeric::Vector& rewards);

  const kernel::Kernel& kernel() const { return kernel_; }  ///< its variance is 1
  double variance() const { return variance_; }             ///< of the process
  double noise() const { return noise_; }                   ///< as a part of the variance

  /// Posterior mean. O(m n d).
  numeric::Vector mean(const numeric::Points& x) const;
  /// n x m: L^-1 k_D(x). The posterior variance is variance() (1 - the squares of a column).
  numeric::Matrix whiten(const numeric::Points& x) const;

 private:
  kernel::Kernel kernel_;
  numeric::Points features_;
  numeric::Matrix lower_;
  numeric::Vector weights_;
  double mean_ = 0;
  double variance_ = 1;
  double noise_ = 0;
};

}  // namespace duets::baselines
