#include "duets/gp/sparse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"
#include "duets/numeric/cholesky_solve.h"

namespace duets::gp {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

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
    : SparsePosterior(kernel, inducing, blocks_of(data, counts), lambda, executor) {}

SparsePosterior::SparsePosterior(const kernel::Kernel& kernel, const Points& inducing,
                                 const DataBlocks& data, double lambda,
                                 const base::Executor& executor)
    : whitening_(whiten(kernel, inducing)), lambda_(lambda) {
  require_positive(lambda, "lambda");
  Sweep swept = sweep(whitening_, data, executor);
  factor_ridge(std::move(swept.gram), swept.residuals.largest);
}

SparsePosterior::SparsePosterior(Whitening whitening, Sweep swept, double lambda)
    : whitening_(std::move(whitening)), lambda_(lambda) {
  require_positive(lambda, "lambda");
  factor_ridge(std::move(swept.gram), swept.residuals.largest);
}

void SparsePosterior::factor_ridge(Matrix ridge, double largest_residual) {
  largest_residual_ = largest_residual;
  ridge.diagonal().array() += lambda_;
  numeric::CholeskyResult factor = numeric::cholesky(std::move(ridge));
  if (!factor.ok) {
    throw base::Error(
        base::ErrorKind::kNumeric,
        fmt::format("lambda I + Z Z^T of {} inducing points cannot be factored at lambda = {}",
                    num_inducing(), lambda_));
  }
  ridge_lower_ = std::move(factor.lower);
  jitter_ = factor.jitter;
  for (const double pivot : ridge_lower_.diagonal()) {
    information_gain_ += 0.5 * std::log(pivot * pivot / lambda_);
  }
}

Vector SparsePosterior::weights(const Vector& projection) const {
  require_values(projection, num_inducing(), "projection");
  Vector w = projection;
  whitening_.lower.triangularView<Eigen::Lower>().solveInPlace(w);
  ridge_lower_.triangularView<Eigen::Lower>().solveInPlace(w);
  ridge_lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(w);
  whitening_.lower.triangularView<Eigen::Lower>().transpose().solveInPlace(w);
  if (!w.allFinite()) {
    throw base::Error(base::ErrorKind::kNumeric, "a weight of the sparse mean is not finite");
  }
  return w;
}

VarianceResult SparsePosterior::variance(const Points& x) const {
  const kernel::Kernel& kernel = whitening_.kernel;
  return variance_in_blocks(kernel, whitening_.inducing, x, [&](Matrix& z) -> Vector {
    numeric::solve_rows(whitening_.lower, z);
    const Vector explained = squared_norms(z);
    numeric::solve_rows(ridge_lower_, z);
    return kernel.variance - explained.array() + lambda_ * squared_norms(z).array();
  });
}

Matrix SparsePosterior::covariance(const Points& x) const {
  const kernel::Kernel& kernel = whitening_.kernel;
  require_points(x, whitening_.inducing.dimension(), "x");
  Matrix z = whitened(whitening_, kernel::ScaledPoints(kernel, x));
  Matrix covariance = kernel::gram(kernel, x);
  covariance.noalias() -= z * z.transpose();
  numeric::solve_rows(ridge_lower_, z);
  covariance.noalias() += lambda_ * (z * z.transpose());
  return covariance;
}

}  // namespace duets::gp
