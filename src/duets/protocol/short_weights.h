// Weights as coarse as the mean that they give allows.
#pragma once

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"
#include "duets/protocol/numbers.h"

namespace duets::protocol {

/// How far rounding may move the mean at any of the points where it is decided, in largest
/// deviations of the posterior.
inline constexpr double kWeightShare = 0.2;

struct ShortWeights {
  numeric::Vector weights;
  NumberFormat format;
};

/// Weights on the coarsest grid that moves the mean nowhere on `points` by more than `most`. They
/// are rounded one after another, each making up for what the ones before it have changed, so that
/// a few bits suffice. The weights themselves, each alone, where no grid is fine enough. What this
/// gives is sent; it need not be the same on two machines.
ShortWeights shorten_weights(const kernel::Kernel& kernel, const numeric::Points& points,
                             const numeric::Points& inducing, const numeric::Vector& weights,
                             double most);

}  // namespace duets::protocol
