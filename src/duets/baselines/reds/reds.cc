#include "duets/baselines/reds/reds.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "duets/baselines/recommendation.h"

namespace duets::baselines {

using base::AgentId;
using numeric::Vector;

std::vector<std::uint64_t> reds_epochs(std::uint64_t total) {
  std::vector<std::uint64_t> lengths;
  auto length = static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(total))));
  for (std::uint64_t left = total; left > 0; left -= lengths.back(), length *= 2) {
    lengths.push_back(std::min(length, left));
  }
  return lengths;
}

Reds::Reds(const Setting& setting, const Tuning& tuning)
    : acquisition_(on_arms(setting)),
      horizon_(setting.horizon),
      arms_(setting.arms),
      latents_(setting.latents),
      lambda_(setting.lambda),
      coin_(setting.coin),
      beta_(tuning.beta),
      lengths_(reds_epochs(std::uint64_t{setting.agents} * setting.horizon)),
      survivors_(arms_->size()) {
  require_beta(beta_);
  std::ranges::reverse(lengths_);
}

Vector Reds::choose(AgentId agent, std::uint32_t t) {
  std::array<std::uint64_t, 1> word{};
  coin_.words({.purpose = random::Purpose::kPolicy, .agent = value(agent), .slot = t}, word);
  const std::vector<std::size_t>& left = survivors_.arms();
  arm_ = left[static_cast<std::size_t>(random::index_below(word[0], left.size()))];
  return latents_.row(static_cast<Eigen::Index>(arm_)).transpose();
}

void Reds::learn(AgentId /*agent*/, std::uint32_t /*t*/, double reward) {
  all_.push_back({.site = arm_, .reward = reward});
  if (all_.size() < epoch_begin_ + lengths_.back()) return;
  lengths_.pop_back();
  if (lengths_.empty()) return;
  // Only this epoch's data: its points do not depend on its noise, so the bounds hold.
  gp::ArmPosterior posterior(arms_, lambda_);
  posterior.observe(std::span(all_).subspan(epoch_begin_));
  survivors_.cut(posterior.mean(), posterior.variance(), beta_);
  epoch_begin_ = all_.size();
}

std::optional<Vector> Reds::recommend() {
  return best_survivor(acquisition_, horizon_, survivors_, gp::ArmPosterior(arms_, lambda_), all_);
}

std::unique_ptr<problems::Policy> make_reds(const Setting& setting, const Tuning& tuning) {
  return std::make_unique<Reds>(setting, tuning);
}

}  // namespace duets::baselines
