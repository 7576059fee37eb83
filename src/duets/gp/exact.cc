#include "duets/gp/exact.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"

namespace duets::gp {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

ExactPosterior::ExactPosterior(const kernel::Kernel& kernel, const Points& data,
                               const Vector& counts, double lambda)
    : kernel_(kernel) {
  kernel::validate(kernel, static_cast<std::size_t>(data.cols()));
  require_points(data, static_cast<std::size_t>(data.cols()), "data");
  require_positive(lambda, "lambda");
  // c queries of one point with mean reward y are one query with noise variance lambda / c.
  const Vector noise =
      lambda * checked_counts(counts, static_cast<std::size_t>(data.rows())).cwiseInverse();

  Matrix noisy_gram = kernel::gram(kernel, data);
  noisy_gram.diagonal() += noise;
  numeric::CholeskyResult factor = numeric::cholesky(noisy_gram);
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

VarianceResult ExactPosterior::variance(const Points& x) const {
  return variance_in_blocks(kernel_, data_, x, [this](Matrix& cross) -> Vector {
    lower_.triangularView<Eigen::Lower>().solveInPlace(cross);
    return (kernel_.variance - cross.colwise().squaredNorm().array()).matrix().transpose();
  });
}

}  // namespace duets::gp
