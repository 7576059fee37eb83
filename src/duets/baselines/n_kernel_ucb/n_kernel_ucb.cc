#include "duets/baselines/n_kernel_ucb/n_kernel_ucb.h"

#include <vector>

#include "duets/baselines/recommendation.h"
#include "duets/gp/arm_posterior.h"

namespace duets::baselines {
namespace {

class NKernelUcb final : public problems::Policy {
 public:
  NKernelUcb(const Setting& setting, double beta)
      : acquisition_(setting),
        horizon_(setting.horizon),
        beta_(beta),
        agents_(setting.agents, Agent{.posterior = {setting.arms, setting.lambda}}) {}

  numeric::Vector choose(base::AgentId id, std::uint32_t t) override {
    Agent& agent = agents_.at(base::value(id));
    const Choice choice = t == 0 ? acquisition_.uniform(id, t)
                                 : acquisition_.maximise_bound(agent.posterior, beta_, id, t);
    agent.site = acquisition_.site(choice, agent.posterior);
    return choice.latent;
  }

  void learn(base::AgentId id, std::uint32_t /*t*/, double reward) override {
    Agent& agent = agents_.at(base::value(id));
    agent.posterior.observe({.site = agent.site, .reward = reward});
  }

  std::optional<numeric::Vector> recommend() override {
    std::vector<MeanView> means;
    for (const Agent& agent : agents_) {
      means.push_back({&agent.posterior.mean(),
                       [&](const numeric::Points& x) { return agent.posterior.at(x).mean; }});
    }
    return best_mean(acquisition_, horizon_, means);
  }

 private:
  struct Agent {
    gp::ArmPosterior posterior;
    std::size_t site = 0;  // of the current query
  };

  Acquisition acquisition_;
  std::uint32_t horizon_;
  double beta_;
  std::vector<Agent> agents_;
};

}  // namespace

std::unique_ptr<problems::Policy> make_n_kernel_ucb(const Setting& setting, const Tuning& tuning) {
  require_beta(tuning.beta);
  return std::make_unique<NKernelUcb>(setting, tuning.beta);
}

}  // namespace duets::baselines
