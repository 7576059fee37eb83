#include "duets/baselines/dis_kernel_ucb/dis_kernel_ucb.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "duets/baselines/arm_index.h"
#include "duets/baselines/recommendation.h"
#include "duets/gp/arm_overlay.h"

namespace duets::baselines {
namespace {

class DisKernelUcb final : public problems::Policy {
 public:
  DisKernelUcb(const Setting& setting, double beta, double threshold)
      : acquisition_(setting),
        index_(acquisition_.latents()),
        horizon_(setting.horizon),
        beta_(beta),
        threshold_(threshold),
        pool_(setting.arms, setting.lambda),
        agents_(setting.agents, Agent{.known = gp::ArmOverlay(pool_)}) {}
  // The overlays point into this object.
  DisKernelUcb(const DisKernelUcb&) = delete;
  DisKernelUcb& operator=(const DisKernelUcb&) = delete;

  numeric::Vector choose(base::AgentId id, std::uint32_t t) override {
    Agent& agent = agents_.at(base::value(id));
    const Choice choice = t == 0 ? acquisition_.uniform(id, t)
                                 : acquisition_.maximise_bound(agent.known, beta_, id, t);
    agent.latest = {.site = acquisition_.site(choice, pool_), .reward = 0};
    agent.unsent.insert(agent.unsent.end(), choice.latent.begin(), choice.latent.end());
    return choice.latent;
  }

  void learn(base::AgentId id, std::uint32_t /*t*/, double reward) override {
    Agent& agent = agents_.at(base::value(id));
    agent.latest.reward = reward;
    agent.unsent.push_back(reward);
  }

  void end_round(std::uint32_t /*t*/, problems::Channel& channel) override {
    ++rounds_;
    if (is_due()) {
      synchronise(channel);
    } else {
      learn_alone();
    }
  }

  std::optional<numeric::Vector> recommend() override {
    std::vector<MeanView> means;
    for (const Agent& agent : agents_) {
      means.push_back(
          {&agent.known.mean(), [&](const numeric::Points& x) { return agent.known.at(x).mean; }});
    }
    return best_mean(acquisition_, horizon_, means);
  }

 private:
  struct Agent {
    gp::ArmOverlay known;
    gp::Observation latest{};      // not yet in `known`
    std::vector<double> unsent{};  // (x, y) pairs since the last synchronisation
  };

  /// n_i ln[det(I + K_i/lambda) / det(I + K_last/lambda)] > D for some agent. D = 0 is always
  /// exceeded, also where a variance has been rounded to 0.
  bool is_due() {
    bool due = threshold_ == 0;
    for (Agent& agent : agents_) {
      const double growth = agent.known.log_det_growth() +
                            std::log1p(agent.known.variance_at(agent.latest.site) / pool_.lambda());
      due = due || static_cast<double>(rounds_) * growth > threshold_;
    }
    return due;
  }

  void learn_alone() {
    std::vector<std::size_t> sites;
    for (const Agent& agent : agents_) sites.push_back(agent.latest.site);
    pool_.prepare(sites);  // many agents play the same arm, and the next pool will hold it
    for (Agent& agent : agents_) agent.known.observe(agent.latest);
  }

  void synchronise(problems::Channel& channel) {
    std::vector<double> pooled;
    std::size_t held = 0;
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      const std::vector<double> arrived = channel.uplink(
          base::AgentId{static_cast<std::uint32_t>(i)}, std::move(agents_[i].unsent));
      pooled.insert(pooled.end(), arrived.begin(), arrived.end());
      held = arrived.size();  // every agent has made as many queries
    }
    pool_.observe(decode(channel.broadcast(std::move(pooled), held)));
    for (Agent& agent : agents_) {
      agent.known.reset();
      agent.unsent.clear();
    }
    rounds_ = 0;
  }

  std::vector<gp::Observation> decode(std::span<const double> pairs) {
    const auto d = static_cast<std::size_t>(acquisition_.latents().cols());
    std::vector<gp::Observation> out;
    for (std::size_t first = 0; first < pairs.size(); first += d + 1) {
      const std::span<const double> latent = pairs.subspan(first, d);
      const Choice choice{
          .latent = Eigen::Map<const numeric::Vector>(latent.data(), static_cast<Eigen::Index>(d)),
          .arm = index_.find(latent)};
      out.push_back({.site = acquisition_.site(choice, pool_), .reward = pairs[first + d]});
    }
    return out;
  }

  Acquisition acquisition_;
  ArmIndex index_;
  std::uint32_t horizon_;
  double beta_;
  double threshold_;
  gp::ArmPosterior pool_;  // every agent holds the same one
  std::vector<Agent> agents_;
  std::uint32_t rounds_ = 0;  // since the last synchronisation
};

}  // namespace

std::unique_ptr<problems::Policy> make_dis_kernel_ucb(const Setting& setting,
                                                      const Tuning& tuning) {
  require_beta(tuning.beta);
  const double threshold = checked_threshold(tuning.threshold, kDisKernelUcbThreshold);
  return std::make_unique<DisKernelUcb>(setting, tuning.beta, threshold);
}

}  // namespace duets::baselines
