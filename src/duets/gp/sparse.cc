#include "duets/gp/sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"

namespace duets::gp {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

constexpr Eigen::Index kDataChunk = 1024;
// Partial Grams held at the same time, in numbers (128 MB).
constexpr Eigen::Index kPartialBudget = Eigen::Index{1} << 24;

// Z Z^T (lower triangle) of the data given, Z = L^-1 K_SD sqrt(C); its transpose is stored.
Matrix whitened_gram(const kernel::Kernel& kernel, const kernel::ScaledPoints& inducing,
                     const Matrix& lower, const kernel::ScaledPoints& data,
                     const Vector& root_counts) {
  Matrix z = kernel::cross(kernel, data, inducing);
  whiten_rows(lower, z);
  z.array().colwise() *= root_counts.array();
  Matrix gram = Matrix::Zero(lower.rows(), lower.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(z.transpose());
  return gram;
}

// Sums the chunks' Grams in chunk order, a wave of chunks at a time: memory is bounded, and neither
// the wave nor the executor can change the order of additions.
Matrix pooled_gram(const kernel::Kernel& kernel, const kernel::ScaledPoints& inducing,
                   const Matrix& lower, const Points& data, const Vector& counts,
                   const base::Executor& executor) {
  const Eigen::Index s = lower.rows();
  const Eigen::Index num_chunks = (data.rows() + kDataChunk - 1) / kDataChunk;
  const Eigen::Index wave = std::clamp<Eigen::Index>(kPartialBudget / (s * s), 2, 64);
  const Vector root_counts = counts.cwiseSqrt();
  Matrix total = Matrix::Zero(s, s);
  for (Eigen::Index begin = 0; begin < num_chunks; begin += wave) {
    const Eigen::Index size = std::min(wave, num_chunks - begin);
    std::vector<Matrix> partial(static_cast<std::size_t>(size));
    executor.parallel_for(partial.size(), [&](std::size_t i) {
      const Eigen::Index first = (begin + static_cast<Eigen::Index>(i)) * kDataChunk;
      const Eigen::Index count = std::min(kDataChunk, data.rows() - first);
      partial[i] = whitened_gram(kernel, inducing, lower, scaled_rows(kernel, data, first, count),
                                 root_counts.segment(first, count));
    });
    for (const Matrix& gram : partial) total += gram;
  }
  return total;
}

std::vector<std::uint32_t> pivots_until(const kernel::Kernel& kernel, const Points& candidates,
                                        double residual, std::size_t max_points) {
  kernel::validate(kernel, static_cast<std::size_t>(candidates.cols()));
  require_points(candidates, static_cast<std::size_t>(candidates.cols()), "candidates");
  if (candidates.rows() == 0) return {};
  const kernel::ScaledPoints scaled(kernel, candidates);
  const auto column = [&](std::uint32_t i) -> Vector {
    return kernel::cross(kernel, scaled, scaled_rows(kernel, candidates, i, 1)).col(0);
  };
  const Vector diagonal = Vector::Constant(candidates.rows(), kernel.variance);
  std::vector<std::uint32_t> pivots =
      numeric::pivoted_cholesky(diagonal, column, residual, max_points).pivots;
  // A tolerance as large as the prior would choose nothing; a set of inducing points has at least
  // one.
  if (pivots.empty()) pivots.push_back(0);
  return pivots;
}

}  // namespace

std::vector<std::uint32_t> prune_to_pivots(const kernel::Kernel& kernel, const Points& candidates,
                                           double tolerance) {
  return pivots_until(kernel, candidates, tolerance * kernel.variance,
                      static_cast<std::size_t>(candidates.rows()));
}

std::vector<std::uint32_t> greedy_pivots(const kernel::Kernel& kernel, const Points& candidates,
                                         double residual, std::size_t max_points) {
  base::require(max_points >= 1, "max_points", "0", "must be at least 1");
  return pivots_until(kernel, candidates, residual, max_points);
}

Vector project(const kernel::Kernel& kernel, const Points& inducing, const Points& data,
               const Vector& rewards) {
  kernel::validate(kernel, static_cast<std::size_t>(inducing.cols()));
  require_points(inducing, static_cast<std::size_t>(inducing.cols()), "inducing");
  require_points(data, static_cast<std::size_t>(inducing.cols()), "data");
  require_values(rewards, static_cast<std::size_t>(data.rows()), "rewards");
  return kernel::weighted_sum(kernel, inducing, data, rewards);
}

SparsePosterior::SparsePosterior(const kernel::Kernel& kernel, const Points& inducing,
                                 const Points& data, const Vector& counts, double lambda,
                                 const base::Executor& executor)
    : kernel_(kernel), lambda_(lambda) {
  const auto dimension = static_cast<std::size_t>(inducing.cols());
  kernel::validate(kernel, dimension);
  base::require(inducing.rows() >= 1, "inducing", "0 points", "must have at least one");
  require_points(inducing, dimension, "inducing");
  require_points(data, dimension, "data");
  require_positive(lambda, "lambda");
  const Vector multiplicity = checked_counts(counts, static_cast<std::size_t>(data.rows()));

  numeric::CholeskyResult whitening = numeric::cholesky(kernel::gram(kernel, inducing));
  if (!whitening.ok || whitening.jitter != 0) {
    throw base::Error(base::ErrorKind::kNumeric,
                      fmt::format("the Gram matrix of {} inducing points is singular in binary64; "
                                  "prune them first",
                                  inducing.rows()));
  }
  inducing_ = kernel::ScaledPoints(kernel, inducing);
  lower_ = std::move(whitening.lower);

  Matrix ridge = pooled_gram(kernel, inducing_, lower_, data, multiplicity, executor);
  ridge.diagonal().array() += lambda;
  numeric::CholeskyResult factor = numeric::cholesky(ridge);
  if (!factor.ok) {
    throw base::Error(base::ErrorKind::kNumeric,
                      fmt::format("lambda I + Z Z^T of {} inducing and {} data points cannot be "
                                  "factored at lambda = {}",
                                  inducing.rows(), data.rows(), lambda));
  }
  ridge_lower_ = std::move(factor.lower);
  jitter_ = factor.jitter;
  for (const double pivot : ridge_lower_.diagonal()) {
    information_gain_ += 0.5 * std::log(pivot * pivot / lambda);
  }
}

Vector SparsePosterior::weights(const Vector& projection) const {
  require_values(projection, num_inducing(), "projection");
  Vector w = projection;
  lower_.triangularView<Eigen::Lower>().solveInPlace(w);
  ridge_lower_.triangularView<Eigen::Lower>().solveInPlace(w);
  ridge_lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(w);
  lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(w);
  if (!w.allFinite()) {
    throw base::Error(base::ErrorKind::kNumeric, "a weight of the sparse mean is not finite");
  }
  return w;
}

VarianceResult SparsePosterior::variance(const Points& x) const {
  return variance_in_blocks(kernel_, inducing_, x, [this](Matrix& z) -> Vector {
    whiten_rows(lower_, z);
    const Vector explained = squared_norms(z);
    whiten_rows(ridge_lower_, z);
    return kernel_.variance - explained.array() + lambda_ * squared_norms(z).array();
  });
}

}  // namespace duets::gp
