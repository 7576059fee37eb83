#include "duets/gp/low_rank.h"

#include <algorithm>
#include <utility>

#include "duets/base/bytes.h"
#include "duets/numeric/rows.h"

namespace duets::gp {
namespace {

using numeric::Points;

// Rows that all blocks of data together should propose as pivots, and the least that one does.
constexpr std::size_t kProposals = 1024;
constexpr std::size_t kLeastProposals = 16;
// After a sweep the residual of the proposed rows is made smaller than required: not all rows with
// too large a residual were proposed, and another sweep costs more than a few pivots.
constexpr double kFinerAfterSweep = 0.5;

// Which rows a sweep found depends on numbers that another processor may round differently: all
// processes take the pivots of the first.
Points agreed(const Points& points, const base::Executor& executor) {
  base::ByteWriter out;
  out.f64s({points.data(), static_cast<std::size_t>(points.size())});
  const base::Bytes bytes = executor.agree(out.take());
  const std::vector<double> values = base::ByteReader(bytes).f64s();
  return Eigen::Map<const Points>(
      values.data(), static_cast<Eigen::Index>(values.size()) / points.cols(), points.cols());
}

Watch watch(double residual, const DataBlocks& data) {
  return {residual,
          std::max(kLeastProposals, kProposals / std::max<std::size_t>(data.num_blocks(), 1))};
}

}  // namespace

LowRank low_rank_posterior(const kernel::Kernel& kernel, const DataBlocks& data, Points pivots,
                           double lambda, double residual, std::size_t max_rank,
                           std::size_t max_sweeps, const base::Executor& executor) {
  for (std::size_t num_sweeps = 1;; ++num_sweeps) {
    pivots = agreed(pivots, executor);
    Whitening whitening = whiten(kernel, pivots);
    Sweep swept = sweep(whitening, data, executor, watch(residual, data));
    const bool enough = !(swept.residuals.largest > residual) || num_sweeps >= max_sweeps ||
                        static_cast<std::size_t>(pivots.rows()) >= max_rank;
    if (enough) {
      return {SparsePosterior(std::move(whitening), std::move(swept), lambda), std::move(pivots),
              num_sweeps};
    }
    PivotSearch search(kernel, swept.residuals.watched, pivots);
    search.refine(kFinerAfterSweep * residual, max_rank);
    pivots = search.pivots();
  }
}

Points add_unseen_rows(const kernel::Kernel& kernel, const DataBlocks& latents,
                       const Features& features, Points chosen, double residual,
                       std::size_t max_points, std::size_t max_looks,
                       const base::Executor& executor) {
  chosen = agreed(chosen, executor);
  for (std::size_t look = 0; look < max_looks; ++look) {
    if (static_cast<std::size_t>(chosen.rows()) >= max_points) break;
    const Points known = features(chosen);
    const Residuals left =
        residuals(whiten(kernel, known), latents, features, executor, watch(residual, latents));
    if (!(left.largest > residual)) break;
    PivotSearch search(kernel, features(left.watched), known);
    search.refine(residual, max_points);
    chosen = agreed(numeric::stacked(chosen, numeric::select_rows(left.watched, search.chosen())),
                    executor);
    if (chosen.rows() == known.rows()) break;
  }
  return chosen;
}

Points greedy_rows(const kernel::Kernel& kernel, const DataBlocks& latents,
                   const Features& features, double residual, std::size_t max_points,
                   const base::Executor& executor) {
  const Points sample = spread_rows(latents, kPivotSample, executor);
  Points chosen =
      numeric::select_rows(sample, greedy_pivots(kernel, features(sample), residual, max_points));
  if (latents.num_rows() <= kPivotSample) return chosen;
  // Every pass adds at least one pivot.
  return add_unseen_rows(kernel, latents, features, std::move(chosen), residual, max_points,
                         max_points, executor);
}

}  // namespace duets::gp
