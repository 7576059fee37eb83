#include "duets/service/study_results.h"

namespace duets::service {

std::optional<Found> recommendation_of(const Definition& definition,
                                       const protocol::Coordinator& coordinator) {
  const protocol::Recommendation best = coordinator.recommendation();
  if (!best.exists) return std::nullopt;
  const ObjectiveSettings& objective = definition.objective;
  Found found;
  found.values = definition.study->domain->values(
      {best.point.data(), static_cast<std::size_t>(best.point.size())});
  found.value = objective.user_value(best.mean);
  found.low = found.value - best.half_width * objective.scale;
  found.high = found.value + best.half_width * objective.scale;
  found.epoch = base::value(best.epoch);
  return found;
}

std::optional<Found> best_trial_of(const Definition& definition,
                                   const protocol::Coordinator& coordinator,
                                   const random::StudySecret& secret) {
  if (!coordinator.best_trial()) return std::nullopt;
  const protocol::BestTrial& best = *coordinator.best_trial();
  const auto draw =
      coordinator.view().private_points(best.agent, secret.agent_coin(best.agent),
                                        {best.epoch, best.slot, 1}, base::SerialExecutor());
  Found found;
  found.values = definition.study->domain->values(
      {draw.latents.data(), static_cast<std::size_t>(draw.latents.cols())});
  found.value = definition.objective.user_value(best.reward);
  found.agent = base::value(best.agent);
  found.epoch = base::value(best.epoch);
  found.slot = best.slot;
  return found;
}

}  // namespace duets::service
