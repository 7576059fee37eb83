// One epoch's cut: the set of points whose posterior mean reaches a threshold.
#pragma once

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::region {

/// { x : k_S(x)^T w >= tau }, decided only by transmitted numbers. A cut carries its own kernel and
/// reward offset, so later epochs may use other parameters than earlier ones. Immutable, strict.
class Cut {
 public:
  /// `inducing` (s x features) and `weights` (s) as broadcast; `tau` is in the units of the sum,
  /// that is, after the offset was subtracted from the rewards. Throws kInvalid for shapes, an
  /// empty S, or numbers that are not finite.
  Cut(kernel::Kernel kernel, double reward_offset, numeric::Points inducing,
      numeric::Vector weights, double tau);

  /// k_S(x)^T w, without the offset. O(n s d).
  numeric::Vector sum_at(const numeric::Points& features) const;

  const kernel::Kernel& kernel() const { return kernel_; }
  double reward_offset() const { return reward_offset_; }
  const numeric::Points& inducing() const { return inducing_; }
  const numeric::Vector& weights() const { return weights_; }
  double tau() const { return tau_; }

 private:
  kernel::Kernel kernel_;
  double reward_offset_;
  numeric::Points inducing_;
  numeric::Vector weights_;
  double tau_;
  kernel::ScaledPoints scaled_;
};

}  // namespace duets::region
