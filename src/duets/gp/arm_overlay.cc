#include "duets/gp/arm_overlay.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "duets/base/error.h"

namespace duets::gp {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

ArmOverlay::ArmOverlay(ArmPosterior& pool) : pool_(&pool), rows_(pool.arms().size()) { reset(); }

void ArmOverlay::reset() {
  pool_version_ = pool_->num_observations();
  rows_.clear();
  row_sites_.clear();
  row_white_.resize(static_cast<Eigen::Index>(pool_->num_rows()), 0);
  mean_ = pool_->mean();
  variance_ = pool_->variance();
  log_det_growth_ = 0;
}

void ArmOverlay::check_pool() const {
  if (pool_version_ == pool_->num_observations()) return;
  base::refuse("overlay", std::to_string(pool_version_) + " observations of the pool",
               "must be reset, the pool has " + std::to_string(pool_->num_observations()));
}

void ArmOverlay::observe(const Observation& one) {
  check_pool();
  if (!std::isfinite(one.reward)) {
    base::refuse("reward", std::to_string(one.reward), "must be finite");
  }
  if (!row_sites_.empty() && row_sites_.back() == one.site) {
    repeat_last(one.reward);
  } else {
    append(one);
  }
}

// By the own rows; an arm's is a column of theirs already.
Vector ArmOverlay::whiten_site(std::size_t site, const ResidualColumn& column) const {
  if (pool_->is_arm(site)) {
    return rows_.whitened_arms().row(static_cast<Eigen::Index>(site)).transpose();
  }
  Vector white = kernel::cross(pool_->arms().kernel(), pool_->features_of(row_sites_),
                               pool_->features_of({&site, 1}));
  white.noalias() -= row_white_.transpose() * column.white;
  rows_.lower().triangularView<Eigen::Lower>().solveInPlace(white);
  return white;
}

void ArmOverlay::append(const Observation& one) {
  const ResidualColumn& column = pool_->column(one.site);
  const Vector white = whiten_site(one.site, column);
  const bool is_arm = pool_->is_arm(one.site);
  const auto arm = static_cast<Eigen::Index>(one.site);
  WhitenedRows::Block block{.arms = column.arms,
                            .white = white,
                            .covariance = Matrix(1, 1),
                            .noise = Vector::Constant(1, pool_->lambda()),
                            .surprise = Vector(1)};
  block.arms.col(0).noalias() -= rows_.whitened_arms() * white;
  block.covariance(0, 0) = is_arm
                               ? block.arms(arm, 0)
                               : std::max(0.0, pool_->variance_at(one.site) - white.squaredNorm());
  const double mean = is_arm ? mean_[arm] : pool_->mean_at(one.site) + white.dot(rows_.rewards());
  block.surprise[0] = one.reward - mean;
  log_det_growth_ += rows_.append(block, mean_, variance_);

  row_white_.conservativeResize(Eigen::NoChange, row_white_.cols() + 1);
  row_white_.col(row_white_.cols() - 1) = column.white;
  row_sites_.push_back(one.site);
  last_count_ = 1;
  last_sum_ = one.reward;
}

void ArmOverlay::repeat_last(double reward) {
  const double mean_before = last_sum_ / last_count_ - rows_.last_surprise();
  const double scaled = rows_.last_variance() / pool_->lambda();
  log_det_growth_ += std::log1p((last_count_ + 1) * scaled) - std::log1p(last_count_ * scaled);
  last_count_ += 1;
  last_sum_ += reward;
  rows_.revise_last(pool_->lambda() / last_count_, last_sum_ / last_count_ - mean_before, mean_,
                    variance_);
}

double ArmOverlay::variance_at(std::size_t site) {
  check_pool();
  if (pool_->is_arm(site)) return variance_[static_cast<Eigen::Index>(site)];
  const Vector white = whiten_site(site, pool_->column(site));
  return std::max(0.0, pool_->variance_at(site) - white.squaredNorm());
}

PointPosterior ArmOverlay::at(const Points& features) const {
  check_pool();
  const Matrix pool_white = pool_->whiten(features);
  PointPosterior out = pool_->at_whitened(pool_white);
  if (row_sites_.empty()) return out;
  Matrix white = kernel::cross(pool_->arms().kernel(), pool_->features_of(row_sites_), features);
  white.noalias() -= row_white_.transpose() * pool_white;
  rows_.lower().triangularView<Eigen::Lower>().solveInPlace(white);
  out.mean.noalias() += white.transpose() * rows_.rewards();
  out.variance =
      (out.variance.array() - white.colwise().squaredNorm().transpose().array()).max(0.0);
  return out;
}

}  // namespace duets::gp
