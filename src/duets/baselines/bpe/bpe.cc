#include "duets/baselines/bpe/bpe.h"

#include <algorithm>
#include <cmath>

#include "duets/baselines/recommendation.h"

namespace duets::baselines {

using base::AgentId;
using numeric::Points;
using numeric::Vector;

std::vector<std::uint64_t> bpe_batches(std::uint64_t total) {
  std::vector<std::uint64_t> lengths;
  double previous = 1;
  for (std::uint64_t left = total; left > 0; left -= lengths.back()) {
    previous = std::ceil(std::sqrt(static_cast<double>(total) * previous));
    lengths.push_back(std::min(static_cast<std::uint64_t>(previous), left));
  }
  return lengths;
}

Bpe::Bpe(const Setting& setting, const Tuning& tuning)
    : acquisition_(on_arms(setting)),
      horizon_(setting.horizon),
      arms_(setting.arms),
      lambda_(setting.lambda),
      beta_(tuning.beta),
      lengths_(bpe_batches(std::uint64_t{setting.agents} * setting.horizon)),
      survivors_(arms_->size()),
      posterior_(arms_, lambda_) {
  require_beta(beta_);
  std::ranges::reverse(lengths_);
}

Vector Bpe::choose(AgentId agent, std::uint32_t t) {
  const Choice choice = acquisition_.maximise(
      survivors_.masked(posterior_.variance()), [](const Points&) { return Vector(); }, agent, t);
  arm_ = choice.arm.value();
  return choice.latent;
}

void Bpe::learn(AgentId /*agent*/, std::uint32_t /*t*/, double reward) {
  // Rewards may enter as they come: the variance, which alone decides, does not depend on them.
  all_.push_back({.site = arm_, .reward = reward});
  posterior_.observe(all_.back());
  if (++num_learnt_ < lengths_.back()) return;
  lengths_.pop_back();
  num_learnt_ = 0;
  if (lengths_.empty()) return;
  survivors_.cut(posterior_.mean(), posterior_.variance(), beta_);
  posterior_ = gp::ArmPosterior(arms_, lambda_);
}

std::optional<Vector> Bpe::recommend() {
  return best_survivor(acquisition_, horizon_, survivors_, gp::ArmPosterior(arms_, lambda_), all_);
}

std::unique_ptr<problems::Policy> make_bpe(const Setting& setting, const Tuning& tuning) {
  return std::make_unique<Bpe>(setting, tuning);
}

}  // namespace duets::baselines
