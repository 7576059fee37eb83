#include "duets/gp/exact.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"

namespace duets::gp {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

namespace {

// largest_variance: how much of the data the first round uses, and how many points with the largest
// bounds are computed completely in each round.
constexpr Eigen::Index kFirstData = 32;
constexpr Eigen::Index kNumProbes = 4;

}  // namespace

ExactPosterior::ExactPosterior(const kernel::Kernel& kernel, const Points& data,
                               const Vector& counts, double lambda)
    : kernel_(kernel), points_(data) {
  kernel::validate(kernel, static_cast<std::size_t>(data.cols()));
  require_points(data, static_cast<std::size_t>(data.cols()), "data");
  require_positive(lambda, "lambda");
  // c queries of one point with mean reward y are one query with noise variance lambda / c.
  const Vector noise =
      lambda * checked_counts(counts, static_cast<std::size_t>(data.rows())).cwiseInverse();

  Matrix noisy_gram = kernel::gram(kernel, data);
  noisy_gram.diagonal() += noise;
  numeric::CholeskyResult factor = numeric::cholesky(std::move(noisy_gram));
  if (!factor.ok) {
    throw base::Error(base::ErrorKind::kNumeric,
                      fmt::format("K + lambda I of {} points cannot be factored at lambda = {}",
                                  data.rows(), lambda));
  }
  data_ = kernel::ScaledPoints(kernel, data);
  lower_ = std::move(factor.lower);
  jitter_ = factor.jitter;
  for (Eigen::Index i = 0; i < noise.size(); ++i) {
    information_gain_ += 0.5 * std::log(lower_(i, i) * lower_(i, i) / noise[i]);
  }
}

Vector ExactPosterior::mean(const Points& x, const Vector& rewards) const {
  require_points(x, data_.dimension(), "x");
  require_values(rewards, data_.size(), "rewards");
  Vector weights = rewards;
  lower_.triangularView<Eigen::Lower>().solveInPlace(weights);
  lower_.triangularView<Eigen::Lower>().transpose().solveInPlace(weights);
  Vector mean(x.rows());
  kernel::weighted_sum(kernel_, kernel::ScaledPoints(kernel_, x), data_,
                       std::span<const double>(weights.data(), data_.size()),
                       std::span<double>(mean.data(), static_cast<std::size_t>(mean.size())));
  if (!mean.allFinite()) {
    throw base::Error(base::ErrorKind::kNumeric, "a posterior mean is not a finite number");
  }
  return mean;
}

// The leading block of the factor is the factor of the leading data.
VarianceResult ExactPosterior::variance_given(Eigen::Index num_data, const Points& x) const {
  const bool all = num_data == points_.rows();
  const kernel::ScaledPoints first =
      all ? kernel::ScaledPoints() : scaled_rows(kernel_, points_, 0, num_data);
  return variance_in_blocks(kernel_, all ? data_ : first, x, [&](Matrix& cross) -> Vector {
    whiten_rows(lower_.topLeftCorner(num_data, num_data), cross);
    return kernel_.variance - squared_norms(cross).array();
  });
}

VarianceResult ExactPosterior::variance(const Points& x) const {
  return variance_given(points_.rows(), x);
}

LargestVariance ExactPosterior::largest_variance(const Points& x) const {
  base::require(x.rows() > 0, "x", "0 points", "must have at least one");
  const Eigen::Index m = points_.rows();
  LargestVariance largest;
  const auto complete = [&](const Points& some) {
    const VarianceResult result = variance_given(m, some);
    largest.variance = std::max(largest.variance, result.variance.maxCoeff());
    largest.num_clamped += result.num_clamped;
  };
  Points open = x;
  // Twice as much data costs four times as much, so all rounds together cost little more than the
  // last one would.
  for (Eigen::Index num_data = kFirstData; num_data < m && open.rows() > 0; num_data *= 2) {
    const Vector bound = variance_given(num_data, open).variance;
    std::vector<Eigen::Index> order(static_cast<std::size_t>(open.rows()));
    std::iota(order.begin(), order.end(), Eigen::Index{0});
    const auto probes = order.begin() + std::min<Eigen::Index>(kNumProbes, open.rows());
    std::partial_sort(order.begin(), probes, order.end(),
                      [&](Eigen::Index a, Eigen::Index b) { return bound[a] > bound[b]; });
    complete(open(std::vector<Eigen::Index>(order.begin(), probes), Eigen::all));
    order.erase(order.begin(), probes);
    std::erase_if(order, [&](Eigen::Index i) { return bound[i] <= largest.variance; });
    open = Points(open(order, Eigen::all));
  }
  if (open.rows() > 0) complete(open);
  return largest;
}

}  // namespace duets::gp
