// The exact posterior of a Gaussian process, convention G: variances without 1/lambda.
#pragma once

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// Clamps every variance to [0, prior] and counts how often that was necessary.
struct VarianceResult {
  numeric::Vector variance;
  std::size_t num_clamped = 0;
};

struct LargestVariance {
  double variance = 0;
  std::size_t num_clamped = 0;  ///< among the points whose variance was computed to the end
};

/// Data: points x_i with counts c_i (how many times each was queried) and mean rewards. With all
/// counts 1 this is the paper's posterior:
///   mu(x) = k_D(x)^T (K + lambda I)^-1 y,  s2(x) = k(x,x) - k_D(x)^T (K + lambda I)^-1 k_D(x).
/// Repeated points collapse exactly: lambda I becomes lambda diag(1/c).
class ExactPosterior {
 public:
  /// `counts` empty means all 1. lambda > 0. Throws kInvalid for shapes and constraints, kNumeric
  /// when K + lambda C^-1 cannot be factored. O(m^3/3 + m^2 d); m is the number of *distinct*
  /// points and should stay below a few thousand (gp/sparse.h goes further).
  ExactPosterior(const kernel::Kernel& kernel, const numeric::Points& data,
                 const numeric::Vector& counts, double lambda);

  /// Posterior mean at x for mean rewards y (one per data point). O(m^2 + n m).
  numeric::Vector mean(const numeric::Points& x, const numeric::Vector& rewards) const;

  /// Posterior variance at x. O(n m^2).
  VarianceResult variance(const numeric::Points& x) const;

  /// The largest posterior variance at the rows of x (at least one): the maximum of variance(x) up
  /// to rounding, usually for a fraction of its cost. A point whose variance given part of the data
  /// is below a value already attained needs no more data. O(n m^2) at worst.
  LargestVariance largest_variance(const numeric::Points& x) const;

  /// 1/2 ln det(I + K/lambda) over the data with multiplicity.
  double information_gain() const { return information_gain_; }

  /// The jitter added to the diagonal to make the factorisation succeed (0 when none).
  double jitter() const { return jitter_; }

 private:
  VarianceResult variance_given(Eigen::Index num_data, const numeric::Points& x) const;

  kernel::Kernel kernel_;
  numeric::Points points_;
  kernel::ScaledPoints data_;
  numeric::Matrix lower_;
  double information_gain_ = 0;
  double jitter_ = 0;
};

}  // namespace duets::gp
