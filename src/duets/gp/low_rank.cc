#include "duets/gp/low_rank.h"

#include <algorithm>
#include <utility>

#include "duets/base/bytes.h"
#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"
#include "duets/numeric/cholesky_solve.h"
#include "duets/numeric/rows.h"

namespace duets::gp {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

// A block of pivots comes from this many rows whose residuals are at least this share of the
// largest. The rows with the largest ones would not do: they lie next to each other.
constexpr std::size_t kCandidates = 256;
constexpr double kFloorShare = 0.5;
constexpr std::size_t kBlock = 64;
constexpr Eigen::Index kChunk = 128;
// Below this part of the prior variance a residual is rounding.
constexpr double kRounding = 1e-13;
// Rows that all blocks of data together should propose as pivots, and the least that one does.
constexpr std::size_t kProposals = 1024;
constexpr std::size_t kLeastProposals = 16;
// Rows proposed after a sweep are seen better than asked for: not all that left too much were
// proposed, and another sweep costs more than a few pivots.
constexpr double kFinerAfterSweep = 0.5;

Matrix rows_at(const Eigen::Ref<const Matrix>& all, const std::vector<std::uint32_t>& rows) {
  return all(std::vector<Eigen::Index>(rows.begin(), rows.end()), Eigen::all);
}

Points stacked(const Points& above, const Points& below) {
  Points all(above.rows() + below.rows(), below.cols());
  if (above.rows() > 0) all.topRows(above.rows()) = above;
  all.bottomRows(below.rows()) = below;
  return all;
}

// Pivots come from numbers that another processor may round differently: all processes take those
// of the first.
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

PivotSearch::PivotSearch(const kernel::Kernel& kernel, Points rows, const Points& given)
    : kernel_(kernel),
      rows_(std::move(rows)),
      scaled_(kernel, rows_),
      pivots_(given),
      residual_(Vector::Constant(rows_.rows(), kernel.variance)) {
  base::require(rows_.rows() >= 1, "rows", "0 points", "must have at least one");
  z_.resize(rows_.rows(), given.rows());
  if (given.rows() == 0) return;
  const Whitening whitening = whiten(kernel, given);
  for (Eigen::Index first = 0; first < rows_.rows(); first += kChunk) {
    const Eigen::Index count = std::min(kChunk, rows_.rows() - first);
    const Matrix z = whitened(whitening, scaled_rows(kernel, rows_, first, count));
    z_.middleRows(first, count) = z;
    residual_.segment(first, count) = kernel.variance - squared_norms(z).array();
  }
}

double PivotSearch::largest_residual() const { return std::max(0.0, residual_.maxCoeff()); }

void PivotSearch::refine(double residual, std::size_t max_rank) {
  const double stop = std::max(residual, kRounding * kernel_.variance);
  while (rank() < max_rank && add_block(stop, max_rank)) {
  }
}

// The worst row, and others evenly spread over those above the floor.
std::vector<std::uint32_t> PivotSearch::candidates(double floor) const {
  std::vector<std::uint32_t> above;
  for (Eigen::Index i = 0; i < residual_.size(); ++i) {
    if (residual_[i] > floor) above.push_back(static_cast<std::uint32_t>(i));
  }
  if (above.size() <= kCandidates) return above;
  Eigen::Index worst = 0;
  residual_.maxCoeff(&worst);
  std::vector<std::uint32_t> some{static_cast<std::uint32_t>(worst)};
  for (std::size_t i = 0; i + 1 < kCandidates; ++i) {
    const std::uint32_t row = above[i * above.size() / (kCandidates - 1)];
    if (row != some.front()) some.push_back(row);
  }
  return some;
}

bool PivotSearch::add_block(double residual, std::size_t max_rank) {
  const double largest = residual_.maxCoeff();
  if (!(largest > residual)) return false;
  const double floor = std::max(residual, kFloorShare * largest);
  const std::vector<std::uint32_t> rows = candidates(floor);
  Matrix left = kernel::gram(kernel_, numeric::select_rows(rows_, rows));
  const auto r = static_cast<Eigen::Index>(rank());
  if (r > 0) {
    const Matrix z = rows_at(z_.leftCols(r), rows);
    left.noalias() -= z * z.transpose();
  }
  const numeric::PivotedCholesky local = numeric::pivoted_cholesky(
      left.diagonal(), [&](std::uint32_t i) -> Vector { return left.col(i); }, floor,
      std::min(kBlock, max_rank - rank()));
  if (local.pivots.empty()) return false;
  std::vector<std::uint32_t> chosen;
  for (const std::uint32_t i : local.pivots) chosen.push_back(rows[i]);
  append(chosen, rows_at(local.factor, local.pivots));
  return true;
}

// `lower`: the factor of what the earlier pivots leave of the chosen rows' kernel matrix.
void PivotSearch::append(const std::vector<std::uint32_t>& chosen, const Matrix& lower) {
  const auto r = static_cast<Eigen::Index>(rank());
  const Points points = numeric::select_rows(rows_, chosen);
  Matrix fresh = kernel::cross(kernel_, scaled_, kernel::ScaledPoints(kernel_, points));
  if (r > 0) fresh.noalias() -= z_.leftCols(r) * rows_at(z_.leftCols(r), chosen).transpose();
  for (Eigen::Index first = 0; first < fresh.rows(); first += kChunk) {
    const Eigen::Index count = std::min(kChunk, fresh.rows() - first);
    numeric::solve_rows(lower, fresh.middleRows(first, count));
  }
  // It grows by doubling: the final width is not known.
  if (r + fresh.cols() > z_.cols()) {
    z_.conservativeResize(Eigen::NoChange, std::max(2 * z_.cols(), r + fresh.cols()));
  }
  z_.middleCols(r, fresh.cols()) = fresh;
  residual_ -= squared_norms(fresh);
  // A pivot is seen entirely, whatever rounding says.
  for (const std::uint32_t row : chosen) residual_[row] = 0;
  pivots_ = stacked(pivots_, points);
  chosen_.insert(chosen_.end(), chosen.begin(), chosen.end());
}

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
    PivotSearch search(kernel, std::move(swept.residuals.watched), pivots);
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
    chosen = agreed(stacked(chosen, numeric::select_rows(left.watched, search.chosen())), executor);
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
  // Every look adds a pivot at least.
  return add_unseen_rows(kernel, latents, features, std::move(chosen), residual, max_points,
                         max_points, executor);
}

}  // namespace duets::gp
