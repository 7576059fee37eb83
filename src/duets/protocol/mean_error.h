// Estimates the rounding error of a posterior mean.
#pragma once

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::protocol {

/// An estimate of the rounding error of a mean computed with these weights.
inline double estimated_mean_error(const kernel::Kernel& kernel, const numeric::Vector& weights) {
  return 0x1p-52 * static_cast<double>(weights.size()) * kernel.variance * weights.lpNorm<1>();
}

}  // namespace duets::protocol
