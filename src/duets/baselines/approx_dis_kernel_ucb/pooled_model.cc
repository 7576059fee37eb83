#include "duets/baselines/approx_dis_kernel_ucb/pooled_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"

namespace duets::baselines {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

namespace {

// How many queries an agent's storage grows by.
constexpr Eigen::Index kGrowth = 16;

void clamp_leverage(Vector& leverage, double largest) {
  leverage = leverage.cwiseMax(0.0).cwiseMin(largest);
}

Matrix root_of(Matrix gram, double lambda) {
  gram.diagonal().array() += lambda;
  numeric::CholeskyResult factor = numeric::cholesky(gram);
  if (!factor.ok) {
    throw base::Error(base::ErrorKind::kNumeric,
                      fmt::format("A + lambda I of {} dictionary points cannot be factored at "
                                  "lambda = {}",
                                  gram.rows(), lambda));
  }
  return std::move(factor.lower);
}

}  // namespace

PooledModel::PooledModel(const gp::Arms& arms, double lambda)
    : PooledModel(
          arms, lambda,
          std::make_shared<const Dictionary>(arms.kernel(), Points(0, arms.features().cols())),
          Matrix(0, 0), Vector(0)) {}

PooledModel::PooledModel(const gp::Arms& arms, double lambda,
                         std::shared_ptr<const Dictionary> dictionary, Matrix gram,
                         const Vector& moment)
    : lambda_(lambda), dictionary_(std::move(dictionary)) {
  const auto m = static_cast<Eigen::Index>(dictionary_->size());
  base::require(gram.rows() == m && gram.cols() == m && moment.size() == m, "gram",
                fmt::format("{} x {}", gram.rows(), gram.cols()),
                fmt::format("must have the dictionary's size {}", m));
  root_ = root_of(std::move(gram), lambda_);
  weights_ = moment;
  root_.triangularView<Eigen::Lower>().solveInPlace(weights_);
  arms_ = whiten(dictionary_->features(arms));
  at_arms_ = moments(arms_);
}

Whitened PooledModel::whiten(Matrix features) const {
  Whitened points;
  points.residual = (dictionary_->prior_variance() - gp::squared_norms(features).array()) / lambda_;
  points.rows = std::move(features);
  gp::whiten_rows(root_, points.rows);
  return points;
}

Moments PooledModel::moments(const Whitened& points) const {
  Moments moments{points.rows * weights_, points.residual + gp::squared_norms(points.rows)};
  clamp_leverage(moments.leverage, largest_leverage());
  return moments;
}

LocalModel::LocalModel(std::shared_ptr<const PooledModel> pooled)
    : pooled_(std::move(pooled)),
      at_arms_(pooled_->at_arms()),
      rows_(static_cast<std::size_t>(at_arms_.mean.size())),
      own_(pooled_->weights().size(), 0) {}

// The pooled covariance w^T w' is the prior here, and z z^T counts with weight 1, so the noise is
// 1: (A + z z^T)^-1 gives the posterior after one more reward. Likewise c queries of one point are
// one query of their mean reward with noise 1/c.
void LocalModel::add(std::size_t point, const Vector& white, const Vector& covariance,
                     double reward) {
  ++num_own_;
  if (last_.count == 0 || last_.point != point) {
    append(white, covariance, reward);
    last_.point = point;
    last_.count = 1;
    return;
  }
  const double surprise = rows_.last_surprise() * last_.count + (reward - last_.mean_before);
  last_.count += 1;
  rows_.revise_last(1 / last_.count, surprise / last_.count, at_arms_.mean, at_arms_.leverage);
}

void LocalModel::append(const Vector& white, const Vector& covariance, double reward) {
  const auto u = static_cast<Eigen::Index>(rows_.size());
  Vector v = own_.leftCols(u).transpose() * white;
  rows_.lower().triangularView<Eigen::Lower>().solveInPlace(v);
  last_.mean_before = white.dot(pooled_->weights()) + v.dot(rows_.rewards());
  gp::WhitenedRows::Block block;
  block.arms = covariance - rows_.whitened_arms() * v;
  block.white = v;
  block.covariance = Matrix::Constant(1, 1, std::max(0.0, white.squaredNorm() - v.squaredNorm()));
  block.noise = Vector::Ones(1);
  block.surprise = Vector::Constant(1, reward - last_.mean_before);
  rows_.append(block, at_arms_.mean, at_arms_.leverage);
  if (u == own_.cols()) own_.conservativeResize(Eigen::NoChange, u + kGrowth);
  own_.col(u) = white;
}

Moments LocalModel::at(const Points& x) const {
  const Whitened points = pooled_->whiten(pooled_->dictionary().features(x));
  const auto u = static_cast<Eigen::Index>(rows_.size());
  Matrix v = points.rows * own_.leftCols(u);
  gp::whiten_rows(Matrix(rows_.lower()), v);
  Moments moments{points.rows * pooled_->weights() + v * rows_.rewards(),
                  points.residual + gp::squared_norms(points.rows) - gp::squared_norms(v)};
  clamp_leverage(moments.leverage, pooled_->largest_leverage());
  return moments;
}

}  // namespace duets::baselines
