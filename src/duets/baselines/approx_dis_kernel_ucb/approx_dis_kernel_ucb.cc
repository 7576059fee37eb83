#include "duets/baselines/approx_dis_kernel_ucb/approx_dis_kernel_ucb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "duets/base/error.h"
#include "duets/baselines/recommendation.h"

namespace duets::baselines {

using base::AgentId;
using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

namespace {

std::vector<double> row_of(const Points& points, Eigen::Index i) {
  const auto row = points.row(i);
  return {row.data(), row.data() + row.size()};
}

void append_row(Points& points, const Vector& row) {
  points.conservativeResize(points.rows() + 1, row.size());
  points.row(points.rows() - 1) = row.transpose();
}

}  // namespace

ApproxDisKernelUcb::ApproxDisKernelUcb(const Setting& setting, const Tuning& tuning)
    : acquisition_(setting),
      domain_(setting.domain),
      arms_(setting.arms),
      lambda_(setting.lambda),
      horizon_(setting.horizon),
      coin_(setting.coin),
      beta_(tuning.beta),
      threshold_(checked_threshold(tuning.threshold, kApproxDisThreshold)),
      oversampling_(tuning.oversampling) {
  require_beta(beta_);
  base::require(std::isfinite(oversampling_) && oversampling_ > 0, "oversampling",
                fmt::format("{}", oversampling_), "must be finite and positive");
  pooled_ = std::make_shared<const PooledModel>(*arms_, lambda_);
  dictionary_ = std::make_shared<const Dictionary>(pooled_->dictionary());
  agents_.assign(setting.agents, Agent{.local = LocalModel(pooled_)});
}

Vector ApproxDisKernelUcb::choose(AgentId agent, std::uint32_t t) {
  Agent& self = agents_.at(value(agent));
  const auto bound = [this](const Moments& moments) {
    return confidence_bound(moments.mean, moments.leverage, beta_);
  };
  self.choice = acquisition_.maximise(
      bound(self.local.at_arms()), [&](const Points& x) { return bound(self.local.at(x)); }, agent,
      t);
  return self.choice.latent;
}

void ApproxDisKernelUcb::learn(AgentId agent, std::uint32_t /*t*/, double reward) {
  Agent& self = agents_.at(value(agent));
  self.point = enter(self.choice);
  self.reward = reward;
  self.gathered += points_.leverage[self.point];
  const auto [place, is_new] = self.tally_of.try_emplace(self.point, self.tallies.size());
  if (is_new) self.tallies.push_back({.point = self.point});
  Tally& tally = self.tallies[place->second];
  tally.count += 1;
  tally.sum += reward;
  self.queries.push_back(place->second);
}

// The point's index in the table, with its leverage and the data that absorb_round() will need.
std::size_t ApproxDisKernelUcb::enter(const Choice& choice) {
  const Vector features = acquisition_.features(choice.latent);
  const auto [place, is_new] = points_.ids.try_emplace(
      std::vector<double>(features.begin(), features.end()), points_.ids.size());
  const std::size_t id = place->second;
  if (is_new) {
    append_row(points_.latents, choice.latent);
    append_row(points_.features, features);
    points_.leverage.push_back(0);
  }
  const auto [column, is_first] = points_.columns.try_emplace(id);
  if (!is_first) return id;
  if (choice.arm) {
    const auto arm = static_cast<Eigen::Index>(*choice.arm);
    column->second.white = pooled_->arms().rows.row(arm);
    points_.leverage[id] = pooled_->at_arms().leverage[arm];
  } else {
    const Whitened x = pooled_->whiten(pooled_->dictionary().features(features.transpose()));
    column->second.white = x.rows.row(0);
    points_.leverage[id] = pooled_->moments(x).leverage[0];
  }
  return id;
}

void ApproxDisKernelUcb::end_round(std::uint32_t t, problems::Channel& channel) {
  // After the last query a synchronisation would help none.
  const bool full = t + 1 < horizon_ && std::ranges::any_of(agents_, [this](const Agent& agent) {
                      return agent.gathered > threshold_;
                    });
  if (full) {
    synchronise(channel);
  } else if (dictionary_->size() > 0) {
    absorb_round();
  }
}

std::optional<Vector> ApproxDisKernelUcb::recommend() {
  std::vector<MeanView> means;
  for (const Agent& agent : agents_) {
    means.push_back(
        {&agent.local.at_arms().mean, [&](const Points& x) { return agent.local.at(x).mean; }});
  }
  return best_mean(acquisition_, horizon_, means);
}

// All agents of a round at once: their points' covariances with the arms are one matrix product,
// and agents that played the same point share its column.
void ApproxDisKernelUcb::absorb_round() {
  std::vector<Column*> missing;
  for (const Agent& agent : agents_) {
    Column& column = points_.columns.at(agent.point);
    if (column.covariance.size() > 0 || std::ranges::count(missing, &column) > 0) continue;
    missing.push_back(&column);
  }
  const auto num_missing = static_cast<Eigen::Index>(missing.size());
  Matrix white(static_cast<Eigen::Index>(dictionary_->size()), num_missing);
  for (Eigen::Index j = 0; j < num_missing; ++j) {
    white.col(j) = missing[static_cast<std::size_t>(j)]->white;
  }
  const Matrix covariance = pooled_->arms().rows * white;
  for (Eigen::Index j = 0; j < num_missing; ++j) {
    missing[static_cast<std::size_t>(j)]->covariance = covariance.col(j);
  }
  for (Agent& agent : agents_) {
    const Column& column = points_.columns.at(agent.point);
    agent.local.add(agent.point, column.white, column.covariance, agent.reward);
  }
}

void ApproxDisKernelUcb::synchronise(problems::Channel& channel) {
  ++num_syncs_;
  // (1) and (2): points up, their union down.
  std::vector<double> uploads;
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    std::vector<double> kept = kept_points(a);
    const std::size_t points = kept.size() / domain_->dimension();
    const std::vector<double> received = channel.uplink(AgentId{a}, std::move(kept), points);
    uploads.insert(uploads.end(), received.begin(), received.end());
  }
  const Points merged_points = merged(uploads);
  std::vector<double> message(merged_points.data(), merged_points.data() + merged_points.size());
  message =
      channel.broadcast(std::move(message), 0, static_cast<std::size_t>(merged_points.rows()));
  // An empty message leaves the dictionary as it is: no agent kept a point, and forgetting all data
  // would help none.
  if (!message.empty()) {
    const Points latents =
        Eigen::Map<const Points>(message.data(), merged_points.rows(), merged_points.cols());
    dictionary_ = std::make_shared<const Dictionary>(arms_->kernel(), domain_->features(latents));
  }
  // (3) and (4): moments up, their sums down.
  const Matrix features = dictionary_->features(points_.features);
  const auto m = static_cast<Eigen::Index>(dictionary_->size());
  std::vector<double> sums(static_cast<std::size_t>(m * m + m), 0.0);
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    const std::vector<double> received =
        channel.uplink(AgentId{a}, projections(agents_[a], features));
    Eigen::Map<Vector>(sums.data(), m * m + m) +=
        Eigen::Map<const Vector>(received.data(), m * m + m);
  }
  sums = channel.broadcast(std::move(sums));
  restart(features, sums);
}

// Latents of the agent's points that its coin keeps, each once. A point has as many chances as it
// has queries. The coin's epoch is the number of the synchronisation, from 1: choices use epoch 0.
std::vector<double> ApproxDisKernelUcb::kept_points(std::uint32_t agent) const {
  const Agent& self = agents_[agent];
  std::vector<bool> kept(self.tallies.size(), false);
  for (std::size_t s = 0; s < self.queries.size(); ++s) {
    double u = 0;
    coin_.uniforms({.purpose = random::Purpose::kPolicy,
                    .agent = agent,
                    .epoch = num_syncs_,
                    .slot = static_cast<std::uint32_t>(s)},
                   std::span(&u, 1));
    const std::size_t tally = self.queries[s];
    if (u < oversampling_ * points_.leverage[self.tallies[tally].point]) kept[tally] = true;
  }
  std::vector<double> reals;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    const auto row = row_of(points_.latents, static_cast<Eigen::Index>(self.tallies[i].point));
    reals.insert(reals.end(), row.begin(), row.end());
  }
  return reals;
}

// The uploaded points, each once, in the order of arrival: latents whose features are equal are one
// point to the kernel, and two of them would make K_SS singular.
Points ApproxDisKernelUcb::merged(const std::vector<double>& uploads) const {
  const auto d = static_cast<Eigen::Index>(domain_->dimension());
  const Points all =
      Eigen::Map<const Points>(uploads.data(), static_cast<Eigen::Index>(uploads.size()) / d, d);
  const Points features = domain_->features(all);
  std::set<std::vector<double>> seen;
  std::vector<Eigen::Index> first;
  for (Eigen::Index i = 0; i < all.rows(); ++i) {
    if (seen.insert(row_of(features, i)).second) first.push_back(i);
  }
  return all(first, Eigen::all);
}

// Z^T Z and then Z^T y of the agent's own data, m^2 + m reals. Queries of one point are one row,
// weighted by the root of their number.
std::vector<double> ApproxDisKernelUcb::projections(const Agent& agent,
                                                    const Matrix& features) const {
  const Eigen::Index m = features.cols();
  if (m == 0) return {};  // no dictionary yet; Eigen's products must not be empty
  const auto n = static_cast<Eigen::Index>(agent.tallies.size());
  Matrix own(m, n);
  Vector rewards(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Tally& tally = agent.tallies[static_cast<std::size_t>(i)];
    const double weight = std::sqrt(tally.count);
    own.col(i) = weight * features.row(static_cast<Eigen::Index>(tally.point)).transpose();
    rewards[i] = tally.sum / weight;
  }
  std::vector<double> reals(static_cast<std::size_t>(m * m + m), 0.0);
  Eigen::Map<Matrix> gram(reals.data(), m, m);
  gram.selfadjointView<Eigen::Lower>().rankUpdate(own);
  gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
  Eigen::Map<Vector>(reals.data() + m * m, m).noalias() = own * rewards;
  return reals;
}

// All agents start again from the broadcast sums.
void ApproxDisKernelUcb::restart(const Matrix& features, const std::vector<double>& sums) {
  const auto m = static_cast<Eigen::Index>(dictionary_->size());
  pooled_ = std::make_shared<const PooledModel>(
      *arms_, lambda_, dictionary_, Matrix(Eigen::Map<const Matrix>(sums.data(), m, m)),
      Vector(Eigen::Map<const Vector>(sums.data() + m * m, m)));
  const Vector leverage = pooled_->moments(pooled_->whiten(features)).leverage;
  points_.leverage.assign(leverage.begin(), leverage.end());
  points_.columns.clear();
  for (Agent& agent : agents_) {
    agent.local = LocalModel(pooled_);
    agent.gathered = 0;
  }
}

std::unique_ptr<problems::Policy> make_approx_dis_kernel_ucb(const Setting& setting,
                                                             const Tuning& tuning) {
  return std::make_unique<ApproxDisKernelUcb>(setting, tuning);
}

}  // namespace duets::baselines
