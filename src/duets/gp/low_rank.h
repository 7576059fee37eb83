// Low-rank posteriors of many points: a few pivots represent all rows where dense matrices are too
// large.
//
// Pivots are chosen on an evenly spread sample, in blocks, so that the work is matrix products;
// then every row is checked, and rows that the pivots do not represent well enough become pivots
// too.
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

/// Pivots are chosen among this many evenly spread rows.
inline constexpr std::size_t kPivotSample = 8192;

/// The posterior of all data through pivots.
struct LowRank {
  SparsePosterior posterior;
  numeric::Points pivots;
  std::size_t num_sweeps = 0;
};

/// Sweeps the data through `pivots`; while rows have a residual above `residual` (absolute), a few
/// of them become pivots and the data are swept again, until none has, there are `max_rank`, or
/// after `max_sweeps`. posterior.largest_residual() is what was reached, over all rows. The same
/// bits in every process. O(m r^2) for each sweep.
LowRank low_rank_posterior(const kernel::Kernel& kernel, const DataBlocks& data,
                           numeric::Points pivots, double lambda, double residual,
                           std::size_t max_rank, std::size_t max_sweeps,
                           const base::Executor& executor);

/// Checks the rows of `latents`, which may be many, against the `chosen` ones; while some have a
/// residual above `residual` (absolute), a few of them are chosen too, until none has, there are
/// `max_points`, or after `max_looks` passes. `chosen` are latents like the rows; in every process.
/// O(m r^2) for each pass, never m x r in memory.
numeric::Points add_unseen_rows(const kernel::Kernel& kernel, const DataBlocks& latents,
                                const Features& features, numeric::Points chosen, double residual,
                                std::size_t max_points, std::size_t max_looks,
                                const base::Executor& executor);

/// Greedy choice among all rows of `latents`: rows that leave a residual of at most `residual`
/// (absolute) on all others, or `max_points` of them; in every process. Up to kPivotSample rows
/// this is greedy_pivots(), to the bit; beyond, rows are chosen on an evenly spread sample and then
/// among those that it does not represent. At least one when there is one.
numeric::Points greedy_rows(const kernel::Kernel& kernel, const DataBlocks& latents,
                            const Features& features, double residual, std::size_t max_points,
                            const base::Executor& executor);

}  // namespace duets::gp
