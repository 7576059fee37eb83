#include "duets/baselines/recommendation.h"

#include "duets/base/error.h"

namespace duets::baselines {

numeric::Vector best_mean(const Acquisition& acquisition, std::uint32_t horizon,
                          std::span<const MeanView> learners) {
  base::require(!learners.empty(), "learners", "none", "at least one is needed");
  std::size_t best = 0;
  for (std::size_t i = 1; i < learners.size(); ++i) {
    if (learners[i].at_arms->maxCoeff() > learners[best].at_arms->maxCoeff()) best = i;
  }
  return acquisition
      .maximise(*learners[best].at_arms, learners[best].elsewhere,
                base::AgentId{static_cast<std::uint32_t>(best)}, horizon)
      .latent;
}

numeric::Vector best_survivor(const Acquisition& acquisition, std::uint32_t horizon,
                              const Survivors& survivors, gp::ArmPosterior prior,
                              std::span<const gp::Observation> observations) {
  prior.observe(observations);
  const numeric::Vector mean = survivors.masked(prior.mean());
  const MeanView view{&mean};
  return best_mean(acquisition, horizon, {&view, 1});
}

}  // namespace duets::baselines
