// A fixed set of points, the arms, and their kernel values, kept for repeated use.
#pragma once

#include <cstddef>
#include <span>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// M points and their kernel. Immutable, so all algorithms of a comparison can share it, from any
/// thread.
class Arms {
 public:
  /// Up to this many arms the Gram matrix is stored (128 MiB); beyond, columns are computed on
  /// demand.
  static constexpr std::size_t kStored = 4096;

  /// `features` is M x d, M >= 1. kInvalid when the kernel does not fit. O(M^2 d) up to kStored.
  Arms(const kernel::Kernel& kernel, numeric::Points features);

  std::size_t size() const { return static_cast<std::size_t>(features_.rows()); }
  const numeric::Points& features() const { return features_; }
  const kernel::Kernel& kernel() const { return kernel_; }
  double prior_variance() const { return kernel_.variance; }

  /// k(arm i, chosen arm j): M x n. O(M n), or O(M n d) beyond kStored.
  numeric::Matrix columns(std::span<const std::size_t> chosen) const;

  /// k(arm i, x_j) for any points: M x n. O(M n d).
  numeric::Matrix cross(const numeric::Points& x) const;

 private:
  kernel::Kernel kernel_;
  numeric::Points features_;
  kernel::ScaledPoints scaled_;
  numeric::Matrix gram_;  // empty beyond kStored
};

}  // namespace duets::gp
