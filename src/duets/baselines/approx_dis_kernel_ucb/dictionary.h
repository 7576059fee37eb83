// The features of a Nystrom approximation, which a dictionary of points spans.
#pragma once

#include <cstddef>

#include "duets/gp/arms.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::baselines {

/// A dictionary S of m points and a root of its Gram matrix, z(x) = L^-1 k_S(x) with
/// K_SS + jitter I = L L^T. Any root gives the same z(x)^T z(x'); this is the triangular one.
/// Immutable.
class Dictionary {
 public:
  /// `points` (m x d features) may be empty. kNumeric when K_SS cannot be factored even with a
  /// jitter of 1e-8. O(m^3 / 3).
  Dictionary(const kernel::Kernel& kernel, const numeric::Points& points);

  std::size_t size() const { return points_.size(); }
  const numeric::Points& points() const { return raw_; }
  double prior_variance() const { return kernel_.variance; }

  /// The jitter added to the diagonal of K_SS, 0 when none was. At a point of S, k - |z|^2 is at
  /// most this.
  double jitter() const { return jitter_; }

  /// z(x_i)^T in row i: n x m. O(n m (m + d)).
  numeric::Matrix features(const numeric::Points& x) const;
  numeric::Matrix features(const gp::Arms& arms) const;

 private:
  numeric::Matrix whitened(numeric::Matrix cross) const;

  kernel::Kernel kernel_;
  numeric::Points raw_;
  kernel::ScaledPoints points_;
  numeric::Matrix root_;  // L
  double jitter_ = 0;
};

}  // namespace duets::baselines
