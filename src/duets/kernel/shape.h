// Slopes and bounds of the kernels' shapes, family by family: for gradients of the mean and for
// covers.
#pragma once

#include "duets/kernel/kernel.h"

namespace duets::kernel {

/// -shape'(r) / r at a squared scaled distance r^2: the gradient of shape by x is minus this times
/// (x - c) / l^2. 0 at r = 0 for Matern 1/2, which has a kink there. Strict.
double slope(Family family, double squared_distance);

/// Bounds over all points within a scaled distance r of a centre.
///
/// With f a function of norm n, value m and gradient g at the centre, all in scaled coordinates:
/// what is left of f after its projections on the kernel and on its derivatives at the centre is at
/// most sqrt(variance (n^2 - their squared norms)) * P(r), where P^2 is 1 - shape^2 (value) or
/// 1 - shape^2 - shape'^2 / curvature (value and gradient). P^2 grows with r; its derivative is
/// bounded by its leading term.
struct ShapeBound {
  bool smooth = true;    ///< a gradient exists, and slope_kernel() has it
  double curvature = 1;  ///< -shape''(0)
  double loss = 0;       ///< 1 - shape(r) is at most this
  double zeroth = 0;     ///< P for the value
  double first = 0;      ///< P for value and gradient
};

/// Strict.
ShapeBound shape_bound(Family family, double r);

/// -k'(r) / r of a kernel with a smooth bound, which is again a kernel, at another scale and
/// height. Strict.
Kernel slope_kernel(const Kernel& kernel);

}  // namespace duets::kernel
