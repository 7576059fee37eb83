// Upper bounds of a cut's sum inside a box, with which a cover of the region is proven.
#pragma once

#include <memory>
#include <span>

#include "duets/region/cut.h"

namespace duets::region {

/// Upper bounds of one cut's sum over boxes, from its value and gradient at the centre and its norm
/// in the space of the kernel (docs/decisions/0021-covers.md has the inequality). Immutable,
/// strict.
class SumBound {
 public:
  /// O(s^2 d).
  explicit SumBound(std::shared_ptr<const Cut> cut);

  const Cut& cut() const { return *cut_; }

  /// Entry i is at least cut().sum_at(x) for every x of the box with centre `centres.row(i)` and
  /// the given half widths, one for each coordinate; rounding on both sides is included. NaN or
  /// infinite where the weights are too large to decide. O(n s d).
  numeric::Vector over_boxes(const numeric::Points& centres,
                             std::span<const double> half_widths) const;

 private:
  struct Boxes;
  Boxes common(const numeric::Points& centres, std::span<const double> half_widths) const;
  void bound_block(const numeric::Points& centres, const Boxes& boxes, double* out) const;

  std::shared_ptr<const Cut> cut_;
  kernel::Kernel slope_kernel_;        // -k'(r) / r, as a kernel
  kernel::ScaledPoints scaled_;        // inducing points, for the cut's kernel
  kernel::ScaledPoints slope_scaled_;  // and for the other, unless they are the same
  numeric::Matrix slope_weights_;      // s x (1 + d): w_i, then w_i times scaled coordinates
  numeric::Vector reach_of_inducing_;  // largest scaled coordinate, by axis
  double norm2_ = 0;                   // upper bound of the squared norm
  double rounding_ = 0;                // bound of the rounding error of a sum
};

}  // namespace duets::region
