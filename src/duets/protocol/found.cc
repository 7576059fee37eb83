#include "duets/protocol/found.h"

#include "duets/base/executor.h"

namespace duets::protocol {

std::optional<Found> recommendation_of(const Study& study, const RewardScale& scale,
                                       const RunSummary& summary) {
  const std::optional<Recommendation> best = summary.recommendation();
  if (!best) return std::nullopt;
  Found found;
  found.values =
      study.domain->values({best->point.data(), static_cast<std::size_t>(best->point.size())});
  found.value = scale.user_value(best->mean);
  found.low = found.value - best->half_width * scale.scale;
  found.high = found.value + best->half_width * scale.scale;
  found.epoch = base::value(best->epoch);
  found.missed = best->missed;
  if (found.missed) {
    found.missed->expected *= scale.scale;
    found.missed->better_by *= scale.scale;
  }
  return found;
}

std::optional<Found> best_trial_of(const RewardScale& scale, const RunSummary& summary,
                                   const PublicView& view, const random::StudySecret& secret) {
  if (!summary.best_trial()) return std::nullopt;
  const BestTrial& best = *summary.best_trial();
  const auto draw = view.private_points(best.agent, secret.agent_coin(best.agent),
                                        {best.epoch, best.slot, 1}, base::SerialExecutor());
  Found found;
  found.values = view.study().domain->values(
      {draw.latents.data(), static_cast<std::size_t>(draw.latents.cols())});
  found.value = scale.user_value(best.reward);
  found.agent = base::value(best.agent);
  found.epoch = base::value(best.epoch);
  found.slot = best.slot;
  return found;
}

std::optional<Found> best_trial_of(const std::shared_ptr<const Study>& study,
                                   const RewardScale& scale, std::span<const base::Bytes> records,
                                   const random::StudySecret& secret,
                                   const base::Executor& executor) {
  RunSummary summary(*study);
  PublicView view(study, secret.public_coin(), executor);
  for (const base::Bytes& bytes : records) {
    const Record record = decode_record(bytes);
    summary.add(record);
    for (const Message& message : broadcasts(*study, record)) view.apply(message);
  }
  return best_trial_of(scale, summary, view, secret);
}

}  // namespace duets::protocol
