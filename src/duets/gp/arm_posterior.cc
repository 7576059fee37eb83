#include "duets/gp/arm_posterior.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "duets/base/error.h"
#include "duets/gp/checks.h"

namespace duets::gp {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

namespace {

// Rows beyond twice the distinct sites that are allowed before a rebuild.
constexpr std::size_t kSpareRows = 64;
// This many rows of V (M = 2000: 256 KiB) stay in the second level cache while prepare() applies
// them to each column.
constexpr Eigen::Index kRowsAtOnce = 16;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

ArmPosterior::ArmPosterior(std::shared_ptr<const Arms> arms, double lambda)
    : arms_(std::move(arms)), lambda_(lambda), rows_(arms_ ? arms_->size() : 0) {
  base::require(arms_ != nullptr, "arms", "none", "must be given");
  require_positive(lambda, "lambda");
  lambda_ = std::max(lambda, kSmallestNoise * arms_->prior_variance());
  free_.resize(0, arms_->features().cols());
  mean_ = Vector::Zero(index(arms_->size()));
  variance_ = Vector::Constant(index(arms_->size()), arms_->prior_variance());
}

std::size_t ArmPosterior::add_site(const Vector& features) {
  require_points(features.transpose(), static_cast<std::size_t>(free_.cols()), "site");
  for (Eigen::Index i = 0; i < free_.rows(); ++i) {
    if (free_.row(i) == features.transpose()) return arms_->size() + static_cast<std::size_t>(i);
  }
  free_.conservativeResize(free_.rows() + 1, Eigen::NoChange);
  free_.row(free_.rows() - 1) = features.transpose();
  return arms_->size() + static_cast<std::size_t>(free_.rows() - 1);
}

void ArmPosterior::check_site(std::size_t site) const {
  const std::size_t sites = arms_->size() + static_cast<std::size_t>(free_.rows());
  if (site < sites) return;
  base::refuse("site", std::to_string(site), "must be below " + std::to_string(sites));
}

Vector ArmPosterior::features(std::size_t site) const {
  check_site(site);
  return is_arm(site) ? Vector(arms_->features().row(index(site)))
                      : Vector(free_.row(index(site - arms_->size())));
}

Points ArmPosterior::features_of(std::span<const std::size_t> sites) const {
  Points out(index(sites.size()), free_.cols());
  for (std::size_t i = 0; i < sites.size(); ++i) out.row(index(i)) = features(sites[i]);
  return out;
}

void ArmPosterior::observe(std::span<const Observation> block) {
  std::vector<Tally> tallies;
  std::unordered_map<std::size_t, std::size_t> tally_of;
  for (const Observation& one : block) {
    check_site(one.site);
    if (!std::isfinite(one.reward)) {
      base::refuse("reward", std::to_string(one.reward), "must be finite");
    }
    const auto [found, is_new] = tally_of.try_emplace(one.site, tallies.size());
    if (is_new) tallies.push_back({.site = one.site});
    tallies[found->second].count += 1;
    tallies[found->second].sum += one.reward;
  }
  if (tallies.empty()) return;
  if (tallies.size() == 1 && !row_sites_.empty() && last_.site == tallies[0].site) {
    repeat_last(tallies[0]);
  } else {
    append(tallies);
  }
  for (const Tally& tally : tallies) add_to_totals(tally);
  num_observations_ += block.size();
  if (rows_.size() > 2 * totals_.size() + kSpareRows) rebuild();
}

void ArmPosterior::add_to_totals(const Tally& tally) {
  const auto [found, is_new] = total_of_.try_emplace(tally.site, totals_.size());
  if (is_new) totals_.push_back({.site = tally.site});
  totals_[found->second].count += tally.count;
  totals_[found->second].sum += tally.sum;
}

void ArmPosterior::append(std::span<const Tally> tallies) {
  std::vector<std::size_t> sites;
  sites.reserve(tallies.size());
  for (const Tally& tally : tallies) sites.push_back(tally.site);
  prepare(sites);
  const Eigen::Index p = index(sites.size());
  WhitenedRows::Block block{.arms = Matrix(mean_.size(), p),
                            .white = Matrix(index(rows_.size()), p),
                            .covariance = covariances(sites),
                            .noise = Vector(p),
                            .surprise = Vector(p)};
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const ResidualColumn& column = columns_.at(sites[i]);
    block.arms.col(index(i)) = column.arms;
    block.white.col(index(i)) = column.white;
    block.noise[index(i)] = lambda_ / tallies[i].count;
    block.surprise[index(i)] = tallies[i].mean() - mean_at(sites[i]);
  }
  log_det_ += rows_.append(block, mean_, variance_);
  row_sites_.insert(row_sites_.end(), sites.begin(), sites.end());
  last_ = tallies.back();
  // In the end, updating an old column costs as much time as a new one, and memory.
  std::erase_if(columns_, [&](const auto& entry) {
    return entry.second.white.size() < index(rows_.size()) / 2;
  });
}

void ArmPosterior::repeat_last(const Tally& more) {
  // Mean of the site before the last row.
  const double mean_before = last_.mean() - rows_.last_surprise();
  const double variance_before = rows_.last_variance();
  const double count_before = last_.count;
  last_.count += more.count;
  last_.sum += more.sum;
  // Columns that have seen the row already hold its old outer product.
  const Eigen::Index last = index(rows_.size()) - 1;
  const Vector row = rows_.whitened_arms().col(last);
  const double growth =
      rows_.revise_last(lambda_ / last_.count, last_.mean() - mean_before, mean_, variance_);
  for (auto& [site, column] : columns_) {
    if (column.white.size() <= last) continue;
    column.arms -= (growth * column.white[last]) * row;
    column.white[last] *= std::sqrt(1.0 + growth);
  }
  log_det_ += std::log1p(last_.count * variance_before / lambda_) -
              std::log1p(count_before * variance_before / lambda_);
}

Matrix ArmPosterior::covariances(std::span<const std::size_t> sites) {
  const Eigen::Index p = index(sites.size());
  if (!std::all_of(sites.begin(), sites.end(), [&](std::size_t s) { return is_arm(s); })) {
    Matrix covariance = kernel::gram(arms_->kernel(), features_of(sites));
    Matrix white(index(rows_.size()), p);
    for (Eigen::Index j = 0; j < p; ++j) {
      white.col(j) = columns_.at(sites[static_cast<std::size_t>(j)]).white;
    }
    covariance.noalias() -= white.transpose() * white;
    return covariance;
  }
  Matrix covariance(p, p);
  for (Eigen::Index j = 0; j < p; ++j) {
    const Vector& arms = columns_.at(sites[static_cast<std::size_t>(j)]).arms;
    for (Eigen::Index i = 0; i < p; ++i) {
      covariance(i, j) = arms[index(sites[static_cast<std::size_t>(i)])];
    }
  }
  return covariance;
}

void ArmPosterior::rebuild() {
  rows_.clear();
  row_sites_.clear();
  columns_.clear();
  mean_.setZero();
  variance_.setConstant(arms_->prior_variance());
  log_det_ = 0;
  append(totals_);
  columns_.clear();
}

void ArmPosterior::start_column(ResidualColumn& column, std::size_t site) const {
  column.arms = is_arm(site) ? arms_->columns({&site, 1}) : arms_->cross(features_of({&site, 1}));
}

void ArmPosterior::prepare(std::span<const std::size_t> sites) {
  struct Stale {
    ResidualColumn* column;
    Eigen::Index done;
  };
  const Eigen::Index num_rows = index(rows_.size());
  std::vector<Stale> stale;
  for (const std::size_t site : sites) {
    check_site(site);
    ResidualColumn& column = columns_[site];
    if (column.arms.size() == 0) start_column(column, site);
    const Eigen::Index done = column.white.size();
    if (done == num_rows) continue;  // includes a site that is listed twice
    column.white = is_arm(site) ? Vector(rows_.whitened_arms().row(index(site)))
                                : Vector(whiten(features_of({&site, 1})));
    stale.push_back({&column, done});
  }
  for (Eigen::Index first = 0; first < num_rows && !stale.empty(); first += kRowsAtOnce) {
    const Eigen::Index end = std::min(num_rows, first + kRowsAtOnce);
    for (const Stale& one : stale) {
      const Eigen::Index begin = std::max(first, one.done);
      if (begin >= end) continue;
      one.column->arms.noalias() -= rows_.whitened_arms().middleCols(begin, end - begin) *
                                    one.column->white.segment(begin, end - begin);
    }
  }
}

const ResidualColumn& ArmPosterior::column(std::size_t site) {
  prepare({&site, 1});
  return columns_.at(site);
}

double ArmPosterior::mean_at(std::size_t site) {
  return is_arm(site) ? mean_[index(site)] : column(site).white.dot(rows_.rewards());
}

double ArmPosterior::variance_at(std::size_t site) {
  if (is_arm(site)) return variance_[index(site)];
  return std::max(0.0, arms_->prior_variance() - column(site).white.squaredNorm());
}

Matrix ArmPosterior::whiten(const Points& features) const {
  require_points(features, static_cast<std::size_t>(free_.cols()), "features");
  Matrix white = kernel::cross(arms_->kernel(), features_of(row_sites_), features);
  rows_.lower().triangularView<Eigen::Lower>().solveInPlace(white);
  return white;
}

PointPosterior ArmPosterior::at(const Points& features) const {
  return at_whitened(whiten(features));
}

PointPosterior ArmPosterior::at_whitened(const Matrix& white) const {
  PointPosterior out;
  out.mean = white.transpose() * rows_.rewards();
  out.variance =
      (arms_->prior_variance() - white.colwise().squaredNorm().transpose().array()).max(0.0);
  return out;
}

}  // namespace duets::gp
