// Few rows through which a kernel sees many: the coordinator's way beyond dense matrices.
//
// Pivots are chosen on a spread sample, in blocks, so that the work is matrix products; then every
// row is looked at, and rows that the pivots do not see well enough become pivots, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "duets/base/executor.h"
#include "duets/gp/data_blocks.h"
#include "duets/gp/pivot_search.h"
#include "duets/gp/sparse.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// Rows of this many, evenly spread, are where pivots are chosen.
inline constexpr std::size_t kPivotSample = 8192;

/// The posterior of all data through pivots.
struct LowRank {
  SparsePosterior posterior;
  numeric::Points pivots;
  std::size_t num_sweeps = 0;
};

/// Sweeps the data through `pivots`; while rows leave a residual above `residual` (absolute), a few
/// of them become pivots and the data are swept again, until none does, there are `max_rank`, or
/// after `max_sweeps`. posterior.largest_residual() tells what was reached, over all rows. The same
/// bits in every process. O(m r^2) for each sweep.
LowRank low_rank_posterior(const kernel::Kernel& kernel, const DataBlocks& data,
                           numeric::Points pivots, double lambda, double residual,
                           std::size_t max_rank, std::size_t max_sweeps,
                           const base::Executor& executor);

/// Rows of `latents`, which may be many, are looked at through the `chosen` ones; while some leave
/// a residual above `residual` (absolute), a few of them are chosen, too; until none does, there
/// are `max_points`, or after `max_looks`. `chosen` are latents like the rows; in every process.
/// O(m r^2) for each look, never m x r in memory.
numeric::Points add_unseen_rows(const kernel::Kernel& kernel, const DataBlocks& latents,
                                const Features& features, numeric::Points chosen, double residual,
                                std::size_t max_points, std::size_t max_looks,
                                const base::Executor& executor);

/// Greedy choice among all rows of `latents`: rows that leave a residual of at most `residual`
/// (absolute) on all others, or `max_points` of them; in every process. Up to kPivotSample rows
/// this is greedy_pivots(), to the bit; beyond, rows are chosen on a spread sample and then among
/// those that it does not see. At least one when there is one.
numeric::Points greedy_rows(const kernel::Kernel& kernel, const DataBlocks& latents,
                            const Features& features, double residual, std::size_t max_points,
                            const base::Executor& executor);

}  // namespace duets::gp
