#include "duets/gp/sparse_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"
#include "duets/numeric/cholesky_solve.h"
#include "duets/numeric/rows.h"
#include "duets/numeric/tree_sum.h"

namespace duets::gp {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

// 128 rows keep the solve and the update of the Gram in the second-level cache up to rank 2000;
// with more, Eigen's update loses half of its speed at rank 100 to 400 (docs/decisions).
constexpr Eigen::Index kSweepRows = 128;

// The lower triangle, column by column: half the numbers to add and to send.
Vector packed(const Matrix& symmetric) {
  const Eigen::Index s = symmetric.rows();
  Vector out(s * (s + 1) / 2);
  Eigen::Index at = 0;
  for (Eigen::Index j = 0; j < s; at += s - j, ++j) {
    out.segment(at, s - j) = symmetric.col(j).tail(s - j);
  }
  return out;
}

Matrix unpacked(const Vector& columns, Eigen::Index s) {
  Matrix symmetric = Matrix::Zero(s, s);
  Eigen::Index at = 0;
  for (Eigen::Index j = 0; j < s; at += s - j, ++j) {
    symmetric.col(j).tail(s - j) = columns.segment(at, s - j);
  }
  return symmetric;
}

// Rows whose residual is above the watch: the worst, and others evenly spread.
Points watched_rows(const Points& points, const Vector& residual, const Watch& watch) {
  std::vector<std::uint32_t> above;
  for (Eigen::Index i = 0; watch.most_per_block > 0 && i < residual.size(); ++i) {
    if (residual[i] > watch.residual) above.push_back(static_cast<std::uint32_t>(i));
  }
  if (above.size() > watch.most_per_block) {
    Eigen::Index worst = 0;
    residual.maxCoeff(&worst);
    std::vector<std::uint32_t> some{static_cast<std::uint32_t>(worst)};
    for (std::size_t i = 0; i + 1 < watch.most_per_block; ++i) {
      const std::uint32_t row = above[i * above.size() / watch.most_per_block];
      if (row != some.front()) some.push_back(row);
    }
    above = std::move(some);
  }
  return numeric::select_rows(points, above);
}

// The residual of each row of a block; adds the block to `gram` (lower triangle), unless there is
// none.
Vector block_residual(const Whitening& whitening, const Points& points, const Vector& counts,
                      Matrix* gram) {
  require_points(points, whitening.inducing.dimension(), "data");
  const bool weighted = counts.size() > 0;
  if (weighted) checked_counts(counts, static_cast<std::size_t>(points.rows()));
  Vector residual(points.rows());
  for (Eigen::Index first = 0; first < points.rows(); first += kSweepRows) {
    const Eigen::Index count = std::min(kSweepRows, points.rows() - first);
    Matrix z = whitened(whitening, scaled_rows(whitening.kernel, points, first, count));
    residual.segment(first, count) = whitening.kernel.variance - squared_norms(z).array();
    if (gram == nullptr) continue;
    if (weighted) z.array().colwise() *= counts.segment(first, count).array().sqrt();
    gram->selfadjointView<Eigen::Lower>().rankUpdate(z.transpose());
  }
  return residual;
}

// The largest residual of a block and the rows asked for.
base::Bytes noted(const Points& points, const Vector& residual, const Watch& watch) {
  const Points watched = watched_rows(points, residual, watch);
  base::ByteWriter out;
  out.f64(residual.size() == 0 ? 0 : residual.maxCoeff());
  out.f64s({watched.data(), static_cast<std::size_t>(watched.size())});
  out.u32(static_cast<std::uint32_t>(points.cols()));
  return out.take();
}

// Of all processes' blocks.
Residuals joined_residuals(const std::vector<base::Bytes>& parts) {
  Residuals all;
  std::vector<double> watched;
  std::uint32_t dimension = 1;
  for (const base::Bytes& part : parts) {
    base::ByteReader in(part);
    all.largest = std::max(all.largest, in.f64());
    const std::vector<double> more = in.f64s();
    watched.insert(watched.end(), more.begin(), more.end());
    dimension = in.u32();
  }
  all.watched = Eigen::Map<const Points>(
      watched.data(), static_cast<Eigen::Index>(watched.size() / dimension), dimension);
  return all;
}

}  // namespace

Whitening whiten(const kernel::Kernel& kernel, const Points& inducing) {
  const auto dimension = static_cast<std::size_t>(inducing.cols());
  kernel::validate(kernel, dimension);
  base::require(inducing.rows() >= 1, "inducing", "0 points", "must have at least one");
  require_points(inducing, dimension, "inducing");
  numeric::CholeskyResult factor = numeric::cholesky(kernel::gram(kernel, inducing));
  if (!factor.ok || factor.jitter != 0) {
    throw base::Error(base::ErrorKind::kNumeric,
                      fmt::format("the Gram matrix of {} inducing points is singular in binary64; "
                                  "prune them first",
                                  inducing.rows()));
  }
  return {kernel, kernel::ScaledPoints(kernel, inducing), std::move(factor.lower)};
}

Matrix whitened(const Whitening& whitening, const kernel::ScaledPoints& x) {
  Matrix z = kernel::cross(whitening.kernel, x, whitening.inducing);
  numeric::solve_rows(whitening.lower, z);
  return z;
}

Sweep sweep(const Whitening& whitening, const DataBlocks& data, const base::Executor& executor,
            const Watch& watch) {
  const Eigen::Index s = whitening.rank();
  const base::UnitRange mine = executor.share(data.num_blocks());
  std::vector<base::Bytes> notes(mine.size());
  const auto leaf = [&](std::size_t i) -> Vector {
    Matrix gram = Matrix::Zero(s, s);
    const DataBlock block = data.block(i);
    const Vector residual = block_residual(whitening, block.points, block.counts, &gram);
    notes[i - mine.begin] = noted(block.points, residual, watch);
    return packed(gram);
  };
  Sweep result;
  result.gram =
      unpacked(numeric::tree_sum(data.num_blocks(), static_cast<std::size_t>(s * (s + 1) / 2), leaf,
                                 executor),
               s);
  result.residuals = joined_residuals(executor.gather(data.num_blocks(), std::move(notes)));
  return result;
}

Residuals residuals(const Whitening& whitening, const DataBlocks& data, const Features& features,
                    const base::Executor& executor, const Watch& watch) {
  const base::UnitRange mine = executor.share(data.num_blocks());
  std::vector<base::Bytes> notes(mine.size());
  executor.parallel_for(notes.size(), [&](std::size_t i) {
    const Points rows = data.block(mine.begin + i).points;
    notes[i] = noted(rows, block_residual(whitening, features(rows), Vector(), nullptr), watch);
  });
  return joined_residuals(executor.gather(data.num_blocks(), std::move(notes)));
}

}  // namespace duets::gp
