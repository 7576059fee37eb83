// Chooses inducing points from a pool of candidates that are not data points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// Indices of rows of `candidates` (c x d) that explain `data` (m x d), in order of choice. Each
/// step chooses the candidate that lowers the summed residual variance of the data most: by the sum
/// of its squared covariances with them over its own variance, both given those chosen before; ties
/// to the lowest index. Ends when none lowers it by more than `gain` (absolute, >= 0), when all
/// that are left are pruned (kPruneTolerance), or with `max_points` >= 1 of them. At least one
/// index when there is a candidate. kInvalid when sizes do not fit.
///
/// With the variance of the noise as gain, the data say less about a direction that is left out
/// than one reward there would, so the posterior hardly uses it.
///
/// Strict: the same choice on every machine, like PivotSearch. O(c m s) for s indices, c m numbers
/// in memory: for much data, pass an evenly spread sample.
std::vector<std::uint32_t> explaining_rows(const kernel::Kernel& kernel,
                                           const numeric::Points& candidates,
                                           const numeric::Points& data, double gain,
                                           std::size_t max_points);

}  // namespace duets::gp
