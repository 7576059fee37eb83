// What a finished simulation has to show.
#include <algorithm>
#include <limits>
#include <utility>

#include "duets/harness/simulate_host.h"
#include "duets/protocol/guarantee.h"

namespace duets::harness {
namespace {

std::vector<double> row_values(const numeric::Points& points, Eigen::Index row) {
  return {points.row(row).data(), points.row(row).data() + points.cols()};
}

}  // namespace

// From model units to the user's.
double SimulationHost::user_value(double reward) const {
  return sign() * (reward * sim_.scale + sim_.offset);
}

RecommendationView SimulationHost::view_of(const protocol::Recommendation& recommendation) const {
  const numeric::Vector& latent = recommendation.point;
  RecommendationView view;
  view.values = study_.domain->values({latent.data(), static_cast<std::size_t>(latent.size())});
  view.mean = user_value(recommendation.mean);
  const double half = recommendation.half_width * sim_.scale;
  view.low = view.mean - half;
  view.high = view.mean + half;
  const numeric::Points row = latent.transpose();
  view.true_value = sim_.problem->value(row_values(study_.domain->features(row), 0));
  return view;
}

BestTrialView SimulationHost::view_of(const protocol::BestTrial& best) const {
  BestTrialView view{base::value(best.agent), base::value(best.epoch), best.slot, {}, 0};
  const auto draw =
      coordinator_.view().private_points(best.agent, secret_.agent_coin(best.agent),
                                         {best.epoch, best.slot, 1}, base::SerialExecutor());
  view.values = study_.domain->values(row_values(draw.latents, 0));
  view.value = user_value(best.reward);
  return view;
}

void SimulationHost::describe_study(RunResult& result) const {
  result.study_name = study_.name;
  result.objective = sim_.problem->name();
  result.direction = sim_.minimise ? "minimize" : "maximize";
  result.domain = domain::to_string(study_.domain->shape());
  result.coordinate_names = study_.domain->coordinate_names();
  result.parameters = study_.domain->parameters();
  result.agents = study_.agents;
  result.horizon = study_.horizon;
  result.seed = sim_.seed;
  result.lengths = lengths_;
  result.study_digest = base::to_hex(protocol::study_digest(study_));
  result.optimum = sign() * optimum_;
}

RunResult SimulationHost::result() {
  RunResult result;
  describe_study(result);
  result.epochs = coordinator_.reports();
  result.cumulative_regret = regret_.cumulative();
  mark(study_.horizon);
  result.communication = std::move(communication_);
  const protocol::Recommendation recommendation = coordinator_.recommendation();
  if (recommendation.exists) result.recommendation = view_of(recommendation);
  if (coordinator_.best_trial()) result.best_trial = view_of(*coordinator_.best_trial());
  result.picture = picture_.finish(coordinator_, recommendation, *sim_.problem);
  result.interval_meaning = protocol::interval_meaning_of(study_);
  result.guarantee = protocol::guarantee_of(study_, coordinator_.complete_participation());
  result.run_digest = base::to_hex(coordinator_.run_digest());
  result.state_digest = base::to_hex(coordinator_.state_digest());
  result.smallest_margin = std::numeric_limits<double>::infinity();
  for (const protocol::EpochReport& report : result.epochs) {
    result.smallest_margin = std::min(result.smallest_margin, report.smallest_margin);
    result.mean_error = std::max(result.mean_error, report.mean_error);
  }
  return result;
}

}  // namespace duets::harness
