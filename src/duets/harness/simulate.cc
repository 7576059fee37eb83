#include "duets/harness/simulate.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "duets/harness/picture.h"
#include "duets/harness/simulate_answers.h"
#include "duets/problems/regret.h"
#include "duets/protocol/found.h"
#include "duets/protocol/maximise.h"

namespace duets::harness {
namespace {

using numeric::Points;

bool is_natural(const domain::Domain& domain, const problems::Problem& problem) {
  if (!problem.parameters().empty()) {
    return domain.shape() == domain::Shape::kBox && domain.parameters() == problem.parameters();
  }
  if (domain.dimension() != problem.dimension() || !domain.features_are_latents()) return false;
  if (domain.shape() == domain::Shape::kBall) {
    return problem.natural_shape() == problems::Shape::kBall && domain.radius() == 1;
  }
  return problem.natural_shape() == problems::Shape::kCube;
}

/// Answers the agents' plans and collects what the coordinator never sees: regret, trials, a
/// picture. Runs once. The arguments must outlive it.
class SimulationHost {
 public:
  SimulationHost(const Simulation& simulation, const base::Executor& executor, Observer& observer)
      : sim_(simulation),
        study_(*simulation.study),
        observer_(observer),
        problem_coin_(random::StudySecret::from_seed(simulation.seed).problem_coin()),
        lengths_(protocol::lengths(study_)),
        ensemble_(simulation.study,
                  simulation.secret.value_or(random::StudySecret::from_seed(simulation.seed)),
                  executor, simulation.sharing,
                  [this](const protocol::Effects& effects) { tell(effects); }),
        optimum_(simulation.reference ? *simulation.reference : best_value(simulation, executor)),
        regret_(study_.agents, protocol::num_queries_each(study_), optimum_) {
    if (sim_.picture) {
      picture_ = PictureRecorder(*study_.domain,
                                 std::uint64_t{study_.agents} * protocol::num_queries_each(study_));
    }
  }

  RunResult run() {
    ensemble_.start();
    while (!ensemble_.finished()) run_epoch();
    return result();
  }

 private:
  void run_epoch();
  void note(Answers answers);
  void show(const Answers& answers);
  void tell(const protocol::Effects& effects);
  RunResult result();

  const Simulation& sim_;
  const protocol::Study& study_;
  Observer& observer_;
  random::Coin problem_coin_;
  std::vector<std::uint32_t> lengths_;
  protocol::Ensemble ensemble_;
  double optimum_;  ///< with the sign that makes larger better
  problems::RegretCurve regret_;
  PictureRecorder picture_;
  std::uint64_t num_unheard_ = 0;  ///< agents whose answers of the open epoch are still missing
};

void SimulationHost::run_epoch() {
  const std::uint32_t epoch = base::value(ensemble_.coordinator().epoch());
  const protocol::EpochAbsence& away = protocol::absence_in(sim_.participation, epoch);
  regret_.expect(std::accumulate(lengths_.begin(), lengths_.begin() + epoch, std::uint64_t{0}));
  num_unheard_ = study_.agents - away.excluded.size();
  ensemble_.run_epoch(
      away,
      [this](const protocol::Agent& agent) {
        return query_plan(sim_, problem_coin_, picture_.thinning(), agent);
      },
      [this](std::span<const std::uint8_t> notes) { note(decode_answers(notes)); });
}

void SimulationHost::note(Answers answers) {
  const std::uint32_t agent = base::value(answers.agent);
  const std::uint32_t epoch = base::value(answers.epoch);
  const auto& holes = protocol::absence_in(sim_.participation, epoch).holes;
  if (const auto failed = holes.find(agent); failed != holes.end()) {
    for (const std::uint32_t slot : failed->second) {
      answers.truth[slot] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  for (std::uint32_t slot = 0; slot < answers.truth.size(); ++slot) {
    if (std::isnan(answers.truth[slot])) continue;
    regret_.add(answers.agent, answers.first_t + slot, sim_.upward(answers.truth[slot]));
  }
  show(answers);
  observer_.queries_done(answers.truth.size());
  if (--num_unheard_ == 0) observer_.exchange_began(epoch);
}

void SimulationHost::show(const Answers& answers) {
  Trial trial;
  trial.agent = base::value(answers.agent);
  trial.epoch = base::value(answers.epoch);
  for (std::size_t i = 0; i < answers.shown.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    trial.slot = answers.shown[i];
    trial.t = answers.first_t + trial.slot;
    if (picture_.thinning().keeps(trial.agent, trial.t)) {
      picture_.point(answers.shown_latents, row, trial.epoch);
    }
    if (!sim_.trials.keeps(trial.agent, trial.t)) continue;
    const double truth = answers.truth[trial.slot];
    trial.hole = std::isnan(truth);
    trial.value = trial.hole ? 0 : answers.shown_values[i];
    trial.regret = trial.hole ? 0 : optimum_ - sim_.upward(truth);
    trial.values =
        study_.domain->values({answers.shown_latents.row(row).data(), study_.domain->dimension()});
    observer_.trial(trial);
  }
}

void SimulationHost::tell(const protocol::Effects& effects) {
  for (const protocol::Event& event : effects.events) {
    if (const auto* began = std::get_if<protocol::EpochBegan>(&event)) {
      observer_.epoch_began(base::value(began->epoch), began->length);
    } else if (const auto* ended = std::get_if<protocol::EpochEnded>(&event)) {
      if (ended->has_report) observer_.epoch_ended(*ended);
      observer_.run_digest(base::value(ended->epoch), ended->report.run_digest);
    }
  }
}

RunResult SimulationHost::result() {
  const protocol::Coordinator& coordinator = ensemble_.coordinator();
  const protocol::RunSummary& summary = coordinator.summary();
  RunResult result = result_of(study_, sim_, summary);
  result.objective = sim_.problem->name();
  result.seed = sim_.seed;
  result.optimum = sim_.upward(optimum_);
  result.cumulative_regret = regret_.cumulative();
  const auto recommendation = summary.recommendation();
  if (recommendation) {
    const numeric::Points features = study_.domain->features(recommendation->point.transpose());
    result.recommendation->true_value =
        sim_.problem->value({features.data(), static_cast<std::size_t>(features.cols())});
  }
  if (const auto best =
          protocol::best_trial_of(sim_, summary, coordinator.view(), ensemble_.secret())) {
    result.best_trial->values = best->values;
  }
  result.picture = picture_.finish(coordinator.view().region(coordinator.epoch()), recommendation,
                                   sim_.problem.get());
  return result;
}

}  // namespace

double best_value(const Simulation& simulation, const base::Executor& executor) {
  const domain::Domain& domain = *simulation.study->domain;
  const bool minimise = simulation.direction == protocol::Direction::kMinimize;
  if (!domain.is_finite() && !minimise && is_natural(domain, *simulation.problem)) {
    return simulation.problem->maximum();
  }
  const region::Region whole(simulation.study->domain);
  const random::Coin coin = random::StudySecret::from_seed(simulation.seed).problem_coin();
  constexpr std::uint32_t kPool = 16384;
  const Points pool = domain.is_finite() ? domain.candidates()
                                         : region::Sampler(whole, protocol::initial_sampler(domain))
                                               .draw(coin, region::Lane::kPublic,
                                                     {base::EpochId{1}, 0, kPool}, executor)
                                               .latents;
  const auto f = [&](const Points& features) {
    numeric::Vector values(features.rows());
    simulation.problem->values(features, {values.data(), static_cast<std::size_t>(values.size())});
    return numeric::Vector((minimise ? -1.0 : 1.0) * values);
  };
  return protocol::maximise(whole, pool, f).value;
}

RunResult simulate(const Simulation& simulation, const base::Executor& executor,
                   Observer& observer) {
  protocol::validate(*simulation.study);
  protocol::validate(static_cast<const protocol::RewardScale&>(simulation));
  problems::validate(simulation.noise);
  return SimulationHost(simulation, executor, observer).run();
}

}  // namespace duets::harness
