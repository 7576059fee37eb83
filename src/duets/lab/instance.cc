#include "duets/lab/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "duets/base/error.h"
#include "duets/harness/simulate_answers.h"
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

// Of the values, each counted once. Two passes.
double deviation_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / n);
}

void set_recommendation(const Instance& instance, double regret, Curves& curves) {
  curves.recommendation_regret = regret;
  curves.lost = regret > kLostShare * instance.deviation;
}

// What the ledgers say now, at the end of the curves. Only DUETS selects points by coins.
void append(const problems::Channel& channel, Curves& curves) {
  const base::LedgerTotals totals = channel.ledger().totals();
  curves.paper.push_back(totals.paper);
  curves.figure.push_back(static_cast<double>(totals.figure));
  curves.links.push_back(static_cast<double>(totals.links));
  curves.indices.push_back(channel.paper_with_indices());
  curves.literal.push_back(totals.paper);
}

// What an index saves at every point of a finite set.
std::size_t index_saves(const domain::Domain& domain) {
  return domain.is_finite() ? domain.dimension() - 1 : 0;
}

// Reals that an exchange of DUETS would take less with indices, and more with all that coins
// selected, each by the ledger "paper".
struct Otherwise {
  double with_indices = 0;
  double literally = 0;
};

Otherwise otherwise(const protocol::Study& study, const protocol::EpochReport& epoch) {
  const auto sent = static_cast<double>(epoch.num_inducing);
  const auto selected = static_cast<double>(epoch.num_selected);
  const auto d = static_cast<double>(study.domain->dimension());
  Otherwise out;
  if (study.inducing != protocol::Inducing::kPublic) {
    out.with_indices = sent * static_cast<double>(index_saves(*study.domain));
  }
  // A point more is d coordinates down, a weight down and, unless rewards are fewer, a number up.
  double up = selected - sent;
  if (study.upload == protocol::UploadRule::kRewards) up = 0;
  if (study.upload == protocol::UploadRule::kAuto) {
    const double length = epoch.length;
    up = std::min(selected, length) - std::min(sent, length);
  }
  out.literally = (selected - sent) * (d + 1) + up;
  return out;
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
    check_point(*simulation_.study->domain, latent, agent, t);
    const double truth = value(latent);
    regret_.add(agent, t, simulation_.upward(truth));
    const double reward = simulation_.reward(
        truth + problems::draw_noise(simulation_.noise, problem_coin_, agent, t));
    if (!(reward <= best_reward_)) {
      best_reward_ = reward;
      best_latent_ = latent;
    }
    return reward;
  }

  /// Of the point, or without one of the query with the largest reward.
  double recommendation_regret(const std::optional<Vector>& recommended) const {
    const std::uint32_t horizon = simulation_.study->horizon;
    if (recommended) check_point(*simulation_.study->domain, *recommended, AgentId{0}, horizon);
    return regret_.reference() - simulation_.upward(value(recommended.value_or(best_latent_)));
  }

  std::vector<double> cumulative_regret() const { return regret_.cumulative(); }

 private:
  double value(const Vector& latent) const {
    const Points features = simulation_.study->domain->features(latent.transpose());
    return simulation_.problem->value({features.data(), static_cast<std::size_t>(features.cols())});
  }

  const harness::Simulation& simulation_;
  random::Coin problem_coin_;
  problems::RegretCurve regret_;
  double best_reward_ = -std::numeric_limits<double>::infinity();
  Vector best_latent_;
};

// Remembers the regret of the query with the best observation, the first of equal ones.
class BestTrial final : public harness::Observer {
 public:
  explicit BestTrial(const harness::Simulation& simulation) : simulation_(simulation) {}
  void trial(const harness::Trial& trial) override {
    if (trial.hole || simulation_.reward(trial.value) <= best_reward_) return;
    best_reward_ = simulation_.reward(trial.value);
    regret_ = trial.regret;
  }
  double regret() const { return regret_; }

 private:
  const harness::Simulation& simulation_;
  double best_reward_ = -std::numeric_limits<double>::infinity();
  double regret_ = 0;
};

}  // namespace

Instance make_instance(harness::Simulation simulation) {
  // Rivals know one horizon from the start, so DUETS does.
  auto planned = std::make_shared<protocol::Study>(*simulation.study);
  planned->earlier_horizons.clear();
  planned->ended_after.clear();
  protocol::validate(*planned);
  simulation.study = std::move(planned);
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
  const double deviation = deviation_of(harness::true_values(simulation, setting.latents));
  return {std::move(simulation), std::move(setting), deviation};
}

Curves play(const Instance& instance, problems::Policy& policy) {
  const protocol::Study& study = *instance.simulation.study;
  Environment environment(instance.simulation);
  problems::Channel channel(study.agents, index_saves(*study.domain));
  Curves curves;
  curves.t = curve_times(study.horizon);
  for (std::uint32_t t = 0; t < study.horizon; ++t) {
    for (std::uint32_t a = 0; a < study.agents; ++a) {
      const Vector latent = policy.choose(AgentId{a}, t);
      policy.learn(AgentId{a}, t, environment.query(AgentId{a}, t, latent));
    }
    const std::uint64_t before = channel.ledger().totals().links;
    policy.end_round(t, channel);
    if (channel.ledger().totals().links > before) ++curves.rounds;
    if (curves.t[curves.paper.size()] == t + 1) append(channel, curves);
  }
  curves.regret = at_times(environment.cumulative_regret(), curves.t);
  set_recommendation(instance, environment.recommendation_regret(policy.recommend()), curves);
  return curves;
}

Curves play_duets(const Instance& instance, const protocol::Study& study) {
  harness::Simulation simulation = instance.simulation;
  simulation.study = std::make_shared<const protocol::Study>(study);
  BestTrial best(simulation);
  const harness::RunResult result = harness::simulate(simulation, base::SerialExecutor(), best);
  Curves curves;
  curves.t = curve_times(study.horizon);
  curves.regret = at_times(result.cumulative_regret, curves.t);
  std::size_t exchange = 0;
  harness::CommunicationPoint sent;
  Otherwise other;
  // One exchange an epoch but the last, whose messages are closing ones.
  const std::size_t num_exchanges = protocol::lengths(study).size() - 1;
  curves.rounds = static_cast<std::uint32_t>(num_exchanges);
  for (const std::uint32_t t : curves.t) {
    while (exchange < result.communication.size() && result.communication[exchange].t <= t) {
      if (exchange < num_exchanges) {
        const Otherwise more = otherwise(study, result.epochs.at(exchange));
        other.with_indices += more.with_indices;
        other.literally += more.literally;
      }
      sent = result.communication[exchange++];
    }
    curves.indices.push_back(sent.paper - other.with_indices);
    curves.literal.push_back(sent.paper + other.literally);
    curves.paper.push_back(sent.paper);
    curves.figure.push_back(sent.figure);
    curves.links.push_back(sent.links);
  }
  const auto& recommended = result.recommendation;
  set_recommendation(instance,
                     recommended
                         ? *simulation.reference - simulation.upward(*recommended->true_value)
                         : best.regret(),
                     curves);
  return curves;
}

}  // namespace duets::lab
