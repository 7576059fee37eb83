#include "duets/harness/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duets/base/error.h"
#include "duets/harness/picture.h"
#include "duets/problems/ledger.h"
#include "duets/problems/regret.h"
#include "duets/protocol/agent.h"
#include "duets/protocol/coordinator.h"
#include "duets/protocol/guarantee.h"
#include "duets/protocol/maximise.h"

namespace duets::harness {
namespace {

using base::AgentId;
using base::EpochId;
using numeric::Points;

std::vector<double> row_values(const Points& points, Eigen::Index row) {
  return {points.row(row).data(), points.row(row).data() + points.cols()};
}

class Host {
 public:
  Host(const Simulation& simulation, const base::Executor& executor, Observer& observer)
      : sim_(simulation),
        study_(*simulation.study),
        observer_(observer),
        secret_(simulation.secret.value_or(random::StudySecret::from_seed(simulation.seed))),
        problem_coin_(random::StudySecret::from_seed(simulation.seed).problem_coin()),
        coordinator_(simulation.study, secret_, executor),
        optimum_(simulation.reference ? *simulation.reference : best_value(simulation, executor)),
        ledger_(study_.agents),
        regret_(study_.agents, study_.horizon, optimum_) {
    const auto view =
        std::make_shared<protocol::PublicView>(sim_.study, secret_.public_coin(), executor);
    for (std::uint32_t a = 0; a < study_.agents; ++a) {
      agents_.emplace_back(sim_.study, AgentId{a}, secret_.agent_coin(AgentId{a}), view);
    }
    if (sim_.picture) picture_ = PictureRecorder(*study_.domain);
  }

  RunResult run() {
    carry_out(coordinator_.start());
    while (!coordinator_.finished()) run_epoch();
    return result();
  }

 private:
  // All agents query their plan; uploads go up in agent order.
  void run_epoch() {
    const EpochId epoch = coordinator_.epoch();
    const auto found = sim_.participation.find(base::value(epoch));
    const EpochAbsence absence = found == sim_.participation.end() ? EpochAbsence{} : found->second;
    for (protocol::Agent& agent : agents_) {
      if (absence.excluded.contains(base::value(agent.id()))) continue;
      const auto holes = absence.holes.find(base::value(agent.id()));
      query_plan(agent,
                 holes == absence.holes.end() ? std::vector<std::uint32_t>{} : holes->second);
    }
    if (absence.excluded.empty()) return;
    std::vector<AgentId> participants;
    for (std::uint32_t a = 0; a < study_.agents; ++a) {
      if (!absence.excluded.contains(a)) participants.push_back(AgentId{a});
    }
    carry_out(coordinator_.close(epoch, participants));
  }

  void query_plan(protocol::Agent& agent, const std::vector<std::uint32_t>& holes) {
    const protocol::Plan plan = agent.plan();
    const Points features = study_.domain->features(plan.latents);
    std::vector<double> truth(static_cast<std::size_t>(features.rows()));
    sim_.problem->values(features, truth);
    std::optional<protocol::Message> message;
    for (std::uint32_t slot = 0; slot < truth.size(); ++slot) {
      const bool hole = std::binary_search(holes.begin(), holes.end(), slot);
      const std::uint32_t t = plan.first_t + slot;
      const double noise = problems::draw_noise(sim_.noise, problem_coin_, agent.id(), t);
      const double value = truth[slot] + noise;
      observer_.trial(trial_of(agent.id(), plan, slot, hole, value, truth[slot]));
      picture_.point(plan.latents, slot, base::value(plan.epoch));
      if (hole) {
        message = agent.report_hole(slot);
      } else {
        regret_.add(agent.id(), t, sign() * truth[slot]);
        message = agent.report(slot, (sign() * value - sim_.offset) / sim_.scale);
      }
    }
    if (message) deliver_up(*message, agent.id());
  }

  Trial trial_of(AgentId agent, const protocol::Plan& plan, std::uint32_t slot, bool hole,
                 double value, double truth) const {
    Trial trial;
    trial.agent = base::value(agent);
    trial.epoch = base::value(plan.epoch);
    trial.slot = slot;
    trial.t = plan.first_t + slot;
    trial.values = study_.domain->values(row_values(plan.latents, slot));
    trial.hole = hole;
    trial.value = hole ? 0 : value;
    trial.regret = hole ? 0 : optimum_ - sign() * truth;
    return trial;
  }

  void deliver_up(const protocol::Message& message, AgentId agent) {
    const std::uint64_t reals = protocol::num_reals(message);
    const std::uint64_t bytes = protocol::encode(message).size();
    if (std::holds_alternative<protocol::Closing>(message)) {
      ledger_.closing_uplink(agent, reals, bytes);
    } else {
      ledger_.uplink(agent, reals, bytes);
    }
    carry_out(coordinator_.receive(message));
  }

  void carry_out(const protocol::Effects& effects) {
    for (const protocol::Outgoing& outgoing : effects.messages) deliver_down(outgoing);
    for (const protocol::Event& event : effects.events) {
      if (const auto* began = std::get_if<protocol::EpochBegan>(&event)) {
        observer_.epoch_began(base::value(began->epoch), began->length);
      } else if (const auto* ended = std::get_if<protocol::EpochEnded>(&event)) {
        if (ended->has_report) observer_.epoch_ended(ended->report);
      }
    }
  }

  void deliver_down(const protocol::Outgoing& outgoing) {
    const std::uint64_t reals = protocol::num_reals(outgoing.message);
    const std::uint64_t bytes = protocol::encode(outgoing.message).size();
    const auto* inducing = std::get_if<protocol::InducingSet>(&outgoing.message);
    if (inducing != nullptr && inducing->closing) {
      ledger_.closing_broadcast(reals, bytes);
    } else if (!outgoing.to) {
      ledger_.broadcast(reals, bytes);
    }
    for (protocol::Agent& agent : agents_) {
      if (!outgoing.to || *outgoing.to == agent.id()) agent.receive(outgoing.message);
    }
    if (std::holds_alternative<protocol::Trim>(outgoing.message))
      mark(agents_.front().plan().first_t);
  }

  void mark(std::uint32_t t) {
    ledger_.mark(t);
    const problems::LedgerTotals totals = ledger_.totals();
    CommunicationPoint point;
    point.epoch = static_cast<std::uint32_t>(communication_.size() + 1);
    point.t = t;
    point.paper = totals.paper;
    point.figure = static_cast<double>(totals.figure);
    point.links = static_cast<double>(totals.links);
    point.closing = static_cast<double>(totals.closing);
    point.bytes = totals.bytes + totals.closing_bytes;
    communication_.push_back(point);
  }

  double sign() const { return sim_.minimise ? -1.0 : 1.0; }
  // From model units to the user's.
  double user_value(double reward) const { return sign() * (reward * sim_.scale + sim_.offset); }

  std::vector<double> user_point(const numeric::Vector& latent) const {
    return study_.domain->values({latent.data(), static_cast<std::size_t>(latent.size())});
  }

  RecommendationView view_of(const protocol::Recommendation& recommendation) const {
    RecommendationView view;
    view.values = user_point(recommendation.point);
    view.mean = user_value(recommendation.mean);
    const double half = recommendation.half_width * sim_.scale;
    view.low = view.mean - half;
    view.high = view.mean + half;
    const Points row = recommendation.point.transpose();
    view.true_value = sim_.problem->value(row_values(study_.domain->features(row), 0));
    return view;
  }

  BestTrialView view_of(const protocol::BestTrial& best) const {
    BestTrialView view{base::value(best.agent), base::value(best.epoch), best.slot, {}, 0};
    const auto draw = coordinator_.view()
                          .sampler(best.epoch)
                          .draw(secret_.agent_coin(best.agent), region::Lane::kPrivate,
                                {best.epoch, best.slot, 1}, base::SerialExecutor());
    view.values = study_.domain->values(row_values(draw.latents, 0));
    view.value = user_value(best.reward);
    return view;
  }

  RunResult result() {
    RunResult result;
    result.study_name = study_.name;
    result.objective = sim_.problem->name();
    result.direction = sim_.minimise ? "minimize" : "maximize";
    result.domain = domain::to_string(study_.domain->shape());
    result.coordinate_names = study_.domain->coordinate_names();
    for (const domain::Parameter& p : study_.domain->parameters()) {
      result.coordinate_choices.push_back(p.choices);
    }
    result.agents = study_.agents;
    result.horizon = study_.horizon;
    result.seed = sim_.seed;
    result.lengths = protocol::lengths(study_);
    result.epochs = coordinator_.reports();
    result.cumulative_regret = regret_.cumulative();
    mark(study_.horizon);
    result.communication = std::move(communication_);
    result.optimum = sign() * optimum_;
    const protocol::Recommendation recommendation = coordinator_.recommendation();
    if (recommendation.exists) result.recommendation = view_of(recommendation);
    if (coordinator_.best_trial()) result.best_trial = view_of(*coordinator_.best_trial());
    result.picture = picture_.finish(coordinator_, recommendation, *sim_.problem);
    result.interval_meaning = protocol::interval_meaning_of(study_);
    result.guarantee = protocol::guarantee_of(study_, coordinator_.complete_participation());
    result.study_digest = base::to_hex(protocol::study_digest(study_));
    result.run_digest = base::to_hex(coordinator_.run_digest());
    result.state_digest = base::to_hex(coordinator_.state_digest());
    result.smallest_margin = std::numeric_limits<double>::infinity();
    for (const protocol::EpochReport& report : result.epochs) {
      result.smallest_margin = std::min(result.smallest_margin, report.smallest_margin);
      result.mean_error = std::max(result.mean_error, report.mean_error);
    }
    return result;
  }

  const Simulation& sim_;
  const protocol::Study& study_;
  Observer& observer_;
  random::StudySecret secret_;
  random::Coin problem_coin_;
  protocol::Coordinator coordinator_;
  double optimum_;  ///< sign * f(x*)
  problems::Ledger ledger_;
  problems::RegretCurve regret_;
  std::vector<protocol::Agent> agents_;
  std::vector<CommunicationPoint> communication_;
  PictureRecorder picture_;
};

bool is_natural(const domain::Domain& domain, const problems::Problem& problem) {
  if (domain.dimension() != problem.dimension() || domain.num_features() != domain.dimension()) {
    return false;
  }
  if (domain.shape() == domain::Shape::kBall) {
    return problem.natural_shape() == problems::Shape::kBall && domain.radius() == 1;
  }
  const auto& parameters = domain.parameters();
  return problem.natural_shape() == problems::Shape::kCube &&
         std::all_of(parameters.begin(), parameters.end(), [](const domain::Parameter& p) {
           return p.type == domain::ParameterType::kFloat;
         });
}

}  // namespace

double best_value(const Simulation& simulation, const base::Executor& executor) {
  const domain::Domain& domain = *simulation.study->domain;
  const double sign = simulation.minimise ? -1.0 : 1.0;
  if (!domain.is_finite() && !simulation.minimise && is_natural(domain, *simulation.problem)) {
    return simulation.problem->maximum();
  }
  const region::Region whole(simulation.study->domain);
  const random::Coin coin = random::StudySecret::from_seed(simulation.seed).problem_coin();
  constexpr std::uint32_t kPool = 16384;
  const Points pool = domain.is_finite()
                          ? domain.candidates()
                          : region::Sampler(whole, protocol::initial_sampler(domain))
                                .draw(coin, region::Lane::kPublic, {EpochId{1}, 0, kPool}, executor)
                                .latents;
  const auto f = [&](const Points& features) {
    numeric::Vector values(features.rows());
    simulation.problem->values(features, {values.data(), static_cast<std::size_t>(values.size())});
    return numeric::Vector(sign * values);
  };
  return protocol::maximise(whole, pool, f).value;
}

RunResult simulate(const Simulation& simulation, const base::Executor& executor,
                   Observer& observer) {
  base::require(std::isfinite(simulation.scale) && simulation.scale > 0, "objective.scale",
                fmt::format("{}", simulation.scale), "must be positive and finite");
  base::require(std::isfinite(simulation.offset), "objective.offset",
                fmt::format("{}", simulation.offset), "must be finite");
  problems::validate(simulation.noise);
  return Host(simulation, executor, observer).run();
}

}  // namespace duets::harness
