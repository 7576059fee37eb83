// A finite kernel expansion, its norm and its gradient.
#pragma once

#include <span>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::problems {

/// f(x) = sum_i a_i k(x, c_i), an element of the RKHS of k. Immutable; all results are strict.
class Expansion {
 public:
  /// `centers` is n x d with n >= 1 and `weights` has n entries; kInvalid when they, or the kernel,
  /// do not fit.
  Expansion(kernel::Kernel kernel, numeric::Points centers, numeric::Vector weights);

  const kernel::Kernel& kernel() const { return kernel_; }
  const numeric::Points& centers() const { return centers_; }
  const numeric::Vector& weights() const { return weights_; }

  /// out[i] = f(row i of x). O(|x| n d).
  void values(const numeric::Points& x, std::span<double> out) const;
  double value(std::span<const double> x) const;

  /// The gradient of f at x. Where the kernel has a kink (matern-1/2 at a center) that center
  /// contributes nothing. O(n d).
  void gradient(std::span<const double> x, std::span<double> out) const;

  /// a^T K a, the squared RKHS norm. O(n^2 d).
  double squared_norm() const;

  /// The expansion with all weights times `factor`.
  Expansion scaled(double factor) const;

 private:
  kernel::Kernel kernel_;
  numeric::Points centers_;
  numeric::Vector weights_;
  kernel::ScaledPoints scaled_centers_;
};

}  // namespace duets::problems
