#include "duets/baselines/gp_ucb/gp_ucb.h"

#include "duets/baselines/recommendation.h"
#include "duets/gp/arm_posterior.h"

namespace duets::baselines {
namespace {

class GpUcb final : public problems::Policy {
 public:
  GpUcb(const Setting& setting, double beta)
      : acquisition_(setting),
        horizon_(setting.horizon),
        beta_(beta),
        posterior_(setting.arms, setting.lambda) {}

  numeric::Vector choose(base::AgentId agent, std::uint32_t t) override {
    const bool is_first = posterior_.num_observations() == 0;
    const Choice choice = is_first ? acquisition_.uniform(agent, t)
                                   : acquisition_.maximise_bound(posterior_, beta_, agent, t);
    site_ = acquisition_.site(choice, posterior_);
    return choice.latent;
  }

  void learn(base::AgentId /*agent*/, std::uint32_t /*t*/, double reward) override {
    posterior_.observe({.site = site_, .reward = reward});
  }

  std::optional<numeric::Vector> recommend() override {
    const MeanView mean{&posterior_.mean(),
                        [this](const numeric::Points& x) { return posterior_.at(x).mean; }};
    return best_mean(acquisition_, horizon_, {&mean, 1});
  }

 private:
  Acquisition acquisition_;
  std::uint32_t horizon_;
  double beta_;
  gp::ArmPosterior posterior_;
  std::size_t site_ = 0;  // of the current query
};

}  // namespace

std::unique_ptr<problems::Policy> make_gp_ucb(const Setting& setting, const Tuning& tuning) {
  require_beta(tuning.beta);
  return std::make_unique<GpUcb>(setting, tuning.beta);
}

}  // namespace duets::baselines
