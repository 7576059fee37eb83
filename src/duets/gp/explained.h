// Points of a pool through which data are seen best, where the pool is not made of the data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// Indices of rows of `candidates` (c x d) that explain `data` (m x d), in order of choice: each
/// time the one that lowers the summed residual variance of the data most, which is the sum of its
/// squared covariances with them over its own variance, both given those chosen before; ties to the
/// lowest index. Ends when none lowers it by more than `gain` (absolute, >= 0), when none is left
/// that is not pruned (kPruneTolerance), or with `max_points` >= 1 of them. At least one index when
/// there is a candidate. kInvalid when sizes do not fit.
///
/// With the variance of the noise as gain: of a direction that it leaves out the data know less
/// than one reward would tell that lies there, so the posterior has little of it.
///
/// Strict: the same choice on every machine, as PivotSearch. O(c m s) for s indices, c m numbers in
/// memory: give it a spread sample when the data are many.
std::vector<std::uint32_t> explaining_rows(const kernel::Kernel& kernel,
                                           const numeric::Points& candidates,
                                           const numeric::Points& data, double gain,
                                           std::size_t max_points);

}  // namespace duets::gp
