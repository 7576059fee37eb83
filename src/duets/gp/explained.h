// Points of a pool through which data are seen best, where the pool is not made of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// A candidate that lowers the summed residual of the data by less than this part of it helps not.
inline constexpr double kSmallestGain = 1e-6;

/// Indices of rows of `candidates` (c x d) that explain `data` (m x d), in order of choice: each
/// time the one that lowers the summed residual variance of the data most, which is the sum of its
/// squared covariances with them over its own variance, both given those chosen before; ties to the
/// lowest index. Ends when no row of the data has a residual above `residual` (absolute), when the
/// best candidate gains less than kSmallestGain, when none is left that is not pruned
/// (kPruneTolerance), or with `max_points` >= 1 of them. At least one index when there is a
/// candidate. kInvalid when sizes do not fit.
///
/// Strict: the same choice on every machine, as PivotSearch. O(c m s) for s indices, c m numbers in
/// memory: give it a spread sample when the data are many.
std::vector<std::uint32_t> explaining_rows(const kernel::Kernel& kernel,
                                           const numeric::Points& candidates,
                                           const numeric::Points& data, double residual,
                                           std::size_t max_points);

}  // namespace duets::gp
