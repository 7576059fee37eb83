#include "duets/lab/instance.h"

#include <fmt/format.h>

#include <utility>

#include "duets/base/error.h"
#include "duets/problems/channel.h"
#include "duets/problems/regret.h"
#include "duets/protocol/public_view.h"
#include "duets/region/sampler.h"

namespace duets::lab {
namespace {

using base::AgentId;
using numeric::Points;
using numeric::Vector;

// All candidates, or as many points of the public stream on the whole domain.
Points pool_of(const harness::Simulation& simulation) {
  const domain::Domain& domain = *simulation.study->domain;
  if (domain.is_finite()) return domain.candidates();
  const region::Sampler sampler(region::Region(simulation.study->domain),
                                protocol::initial_sampler(domain));
  return sampler
      .draw(random::StudySecret::from_seed(simulation.seed).public_coin(), region::Lane::kPublic,
            {base::EpochId{1}, 0, kPoolArms}, base::SerialExecutor())
      .latents;
}

// Throws unless the point is one of the domain. The texts are made only when they are needed.
void check_point(const domain::Domain& domain, const Vector& latent, AgentId agent,
                 std::uint32_t t) {
  const bool fits = static_cast<std::size_t>(latent.size()) == domain.dimension();
  if (fits && latent.allFinite() && domain.contains({latent.data(), domain.dimension()})) return;
  const std::string who = fmt::format("query of agent {} at t = {}", base::value(agent), t);
  base::require(fits, who, fmt::format("{} coordinates", latent.size()),
                fmt::format("must have {}", domain.dimension()));
  if (!latent.allFinite()) {
    throw base::Error(base::ErrorKind::kNumeric, who + ": a coordinate is not finite");
  }
  base::refuse(who, "a point", "must lie in the domain");
}

// What the ledger says now, at the end of the curves.
void append(const base::LedgerTotals& totals, Curves& curves) {
  curves.paper.push_back(totals.paper);
  curves.figure.push_back(static_cast<double>(totals.figure));
  curves.links.push_back(static_cast<double>(totals.links));
}

std::vector<double> at_times(const std::vector<double>& cumulative,
                             const std::vector<std::uint32_t>& times) {
  std::vector<double> out;
  out.reserve(times.size());
  for (const std::uint32_t t : times) out.push_back(cumulative[t - 1]);
  return out;
}

// One query: the reward in model units; the noise-free value goes to the regret.
class Environment {
 public:
  explicit Environment(const harness::Simulation& simulation)
      : simulation_(simulation),
        problem_coin_(random::StudySecret::from_seed(simulation.seed).problem_coin()),
        regret_(simulation.study->agents, simulation.study->horizon, *simulation.reference) {}

  double query(AgentId agent, std::uint32_t t, const Vector& latent) {
    const domain::Domain& domain = *simulation_.study->domain;
    check_point(domain, latent, agent, t);
    const Points features = domain.features(latent.transpose());
    const double truth =
        simulation_.problem->value({features.data(), static_cast<std::size_t>(features.cols())});
    regret_.add(agent, t, simulation_.upward(truth));
    return simulation_.reward(truth +
                              problems::draw_noise(simulation_.noise, problem_coin_, agent, t));
  }

  std::vector<double> cumulative_regret() const { return regret_.cumulative(); }

 private:
  const harness::Simulation& simulation_;
  random::Coin problem_coin_;
  problems::RegretCurve regret_;
};

}  // namespace

Instance make_instance(harness::Simulation simulation) {
  protocol::validate(*simulation.study);
  if (!simulation.reference) {
    simulation.reference = best_value(simulation, base::SerialExecutor());
  }
  simulation.picture = false;
  const protocol::Study& study = *simulation.study;
  Points latents = pool_of(simulation);
  auto arms = std::make_shared<const gp::Arms>(study.kernel, study.domain->features(latents));
  baselines::Setting setting{
      .agents = study.agents,
      .horizon = study.horizon,
      .domain = study.domain,
      .arms = std::move(arms),
      .latents = std::move(latents),
      .lambda = study.lambda,
      .coin = random::StudySecret::from_seed(simulation.seed).problem_coin()};
  return {std::move(simulation), std::move(setting)};
}

Curves play(const Instance& instance, problems::Policy& policy) {
  const protocol::Study& study = *instance.simulation.study;
  Environment environment(instance.simulation);
  problems::Channel channel(study.agents);
  Curves curves;
  curves.t = curve_times(study.horizon);
  for (std::uint32_t t = 0; t < study.horizon; ++t) {
    for (std::uint32_t a = 0; a < study.agents; ++a) {
      const Vector latent = policy.choose(AgentId{a}, t);
      policy.learn(AgentId{a}, t, environment.query(AgentId{a}, t, latent));
    }
    policy.end_round(t, channel);
    if (curves.t[curves.paper.size()] == t + 1) append(channel.ledger().totals(), curves);
  }
  curves.regret = at_times(environment.cumulative_regret(), curves.t);
  return curves;
}

Curves play_duets(const Instance& instance, const protocol::Study& study) {
  harness::Simulation simulation = instance.simulation;
  simulation.study = std::make_shared<const protocol::Study>(study);
  harness::Observer nobody;
  const harness::RunResult result = harness::simulate(simulation, base::SerialExecutor(), nobody);
  Curves curves;
  curves.t = curve_times(study.horizon);
  curves.regret = at_times(result.cumulative_regret, curves.t);
  std::size_t exchange = 0;
  harness::CommunicationPoint sent;
  for (const std::uint32_t t : curves.t) {
    while (exchange < result.communication.size() && result.communication[exchange].t <= t) {
      sent = result.communication[exchange++];
    }
    curves.paper.push_back(sent.paper);
    curves.figure.push_back(sent.figure);
    curves.links.push_back(sent.links);
  }
  return curves;
}

}  // namespace duets::lab
