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
#include "duets/gp/sparse.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// Rows of this many, evenly spread, are where pivots are chosen.
inline constexpr std::size_t kPivotSample = 8192;

/// Chooses pivots among fixed rows, step by step. Not strict: another instruction set may choose
/// others. Memory O(n r).
class PivotSearch {
 public:
  /// `rows` is n x d, n >= 1; `given` (r x d, perhaps empty) are pivots already.
  PivotSearch(const kernel::Kernel& kernel, numeric::Points rows, const numeric::Points& given);

  /// Adds pivots until no row leaves a residual above `residual` (absolute; rounding at least), or
  /// there are `max_rank`. O(n r^2), in blocks: up to 64 pivots at once, chosen by pivoted Cholesky
  /// among 256 rows spread over those with at least half of the largest residual.
  void refine(double residual, std::size_t max_rank);

  const numeric::Points& pivots() const { return pivots_; }  ///< in order of choice
  /// The rows among them, by index; without the given ones.
  const std::vector<std::uint32_t>& chosen() const { return chosen_; }
  std::size_t rank() const { return static_cast<std::size_t>(pivots_.rows()); }
  /// Largest residual on the rows.
  double largest_residual() const;

 private:
  std::vector<std::uint32_t> candidates(double floor) const;
  bool add_block(double residual, std::size_t max_rank);
  void append(const std::vector<std::uint32_t>& chosen, const numeric::Matrix& lower);

  kernel::Kernel kernel_;
  numeric::Points rows_;
  kernel::ScaledPoints scaled_;
  numeric::Points pivots_;
  std::vector<std::uint32_t> chosen_;
  numeric::Matrix z_;  // n x (at least r): whitened rows
  numeric::Vector residual_;
};

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
