#include "duets/harness/run_result.h"

#include "duets/protocol/guarantee.h"

namespace duets::harness {

double ask_tell_reals(const RunResult& result, double t) {
  return result.agents * t * static_cast<double>(result.coordinate_names.size() + 1);
}

RunResult result_of(const protocol::Study& study, const protocol::RewardScale& scale,
                    const protocol::RunSummary& summary) {
  RunResult result;
  result.study_name = study.name;
  result.direction = base::name_of(scale.direction);
  result.domain = base::name_of(study.domain->shape());
  result.coordinate_names = study.domain->coordinate_names();
  result.parameters = study.domain->parameters();
  result.agents = study.agents;
  result.horizon = protocol::num_queries_each(study);
  result.lengths = protocol::lengths(study);
  result.epochs = summary.epochs();
  result.communication = summary.communication();
  result.recommendation = protocol::recommendation_of(study, scale, summary);
  if (const auto& best = summary.best_trial()) {
    result.best_trial = protocol::Found{.value = scale.user_value(best->reward),
                                        .agent = base::value(best->agent),
                                        .epoch = base::value(best->epoch),
                                        .slot = best->slot};
  }
  result.interval_meaning = protocol::interval_meaning_of(study);
  result.guarantee = protocol::guarantee_of(study, summary.participation().empty());
  result.horizon_changes = protocol::horizon_changes_of(study);
  result.study_digest = base::to_hex(protocol::study_digest(study));
  result.run_digest = base::to_hex(summary.run_digest());
  result.state_digest = base::to_hex(summary.state_digest());
  result.smallest_margin = summary.smallest_margin();
  result.mean_error = summary.mean_error();
  return result;
}

}  // namespace duets::harness
