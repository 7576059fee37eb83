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
constexpr Eigen::Index kChunk = 128;

// What a sweep notes about the residuals of one block.
struct BlockResiduals {
  double largest = 0;
  Points watched;
};

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

// Adds one block to `gram` (lower triangle).
BlockResiduals sweep_block(const Whitening& whitening, const DataBlock& block, const Watch& watch,
                           Matrix& gram) {
  require_points(block.points, whitening.inducing.dimension(), "data");
  const Eigen::Index rows = block.points.rows();
  const bool weighted = block.counts.size() > 0;
  if (weighted) checked_counts(block.counts, static_cast<std::size_t>(rows));
  Vector residual(rows);
  for (Eigen::Index first = 0; first < rows; first += kChunk) {
    const Eigen::Index count = std::min(kChunk, rows - first);
    Matrix z = whitened(whitening, scaled_rows(whitening.kernel, block.points, first, count));
    residual.segment(first, count) = whitening.kernel.variance - squared_norms(z).array();
    if (weighted) z.array().colwise() *= block.counts.segment(first, count).array().sqrt();
    gram.selfadjointView<Eigen::Lower>().rankUpdate(z.transpose());
  }
  return {rows == 0 ? 0 : std::max(0.0, residual.maxCoeff()),
          watched_rows(block.points, residual, watch)};
}

base::Bytes encoded(const BlockResiduals& block) {
  base::ByteWriter out;
  out.f64(block.largest);
  out.f64s({block.watched.data(), static_cast<std::size_t>(block.watched.size())});
  return out.take();
}

// The residuals of all processes' blocks.
void join(const std::vector<base::Bytes>& parts, Eigen::Index dimension, Sweep& result) {
  std::vector<double> watched;
  for (const base::Bytes& part : parts) {
    base::ByteReader in(part);
    result.largest_residual = std::max(result.largest_residual, in.f64());
    const std::vector<double> more = in.f64s();
    watched.insert(watched.end(), more.begin(), more.end());
  }
  result.watched = Eigen::Map<const Points>(
      watched.data(), static_cast<Eigen::Index>(watched.size()) / dimension, dimension);
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
  std::vector<base::Bytes> residuals(mine.size());
  const auto leaf = [&](std::size_t i) -> Vector {
    Matrix gram = Matrix::Zero(s, s);
    residuals[i - mine.begin] = encoded(sweep_block(whitening, data.block(i), watch, gram));
    return packed(gram);
  };
  Sweep result;
  result.gram =
      unpacked(numeric::tree_sum(data.num_blocks(), static_cast<std::size_t>(s * (s + 1) / 2), leaf,
                                 executor),
               s);
  join(executor.gather(data.num_blocks(), std::move(residuals)),
       static_cast<Eigen::Index>(whitening.inducing.dimension()), result);
  return result;
}

}  // namespace duets::gp
