// The most that queries of a finite set can tell about a function.
#pragma once

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// gamma between two bounds, in nats.
struct LargestGain {
  double value = 0;  ///< of the best design found
  double bound = 0;  ///< no design has more
};

/// max over w >= 0, sum w = queries, of 1/2 ln det(I + K W / lambda) for the Gram matrix K of the
/// rows of `features`: gamma_queries with designs in fractions of queries, which is no less than
/// that of whole ones. The design is found by multiplying every weight with its share of the
/// gradient, until the two bounds are within `share` of each other or after a fixed number of
/// steps; the upper one follows from concavity, and includes what pivots leave out. kInvalid when
/// the kernel does not fit, there are no rows, or lambda or queries are not positive.
/// O(M r^2) a step for M rows and r pivots, at most 600.
LargestGain largest_gain(const kernel::Kernel& kernel, const numeric::Points& features,
                         double lambda, double queries, double share = 0.02);

}  // namespace duets::gp
