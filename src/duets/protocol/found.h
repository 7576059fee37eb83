// The recommendation and the best trial of a run, in the user's units.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "duets/protocol/public_view.h"
#include "duets/protocol/reward_scale.h"
#include "duets/protocol/run_summary.h"

namespace duets::protocol {

struct Found {
  std::vector<double> values{};    ///< parameter values
  double value = 0;                ///< observed, or posterior mean
  double low = 0, high = 0;        ///< interval of a recommendation
  std::optional<Missed> missed{};  ///< of a recommendation
  std::uint32_t agent = 0, epoch = 0, slot = 0;
  std::optional<double> true_value{};  ///< without noise; set by callers that know it
};

/// What is recommended; nothing before the first epoch is closed.
std::optional<Found> recommendation_of(const Study& study, const RewardScale& scale,
                                       const RunSummary& summary);

/// The best reward observed; nothing before the run is finished. `view` knows the run's regions.
std::optional<Found> best_trial_of(const RewardScale& scale, const RunSummary& summary,
                                   const PublicView& view, const random::StudySecret& secret);

/// The same of a run that is known by its records.
std::optional<Found> best_trial_of(const std::shared_ptr<const Study>& study,
                                   const RewardScale& scale, std::span<const base::Bytes> records,
                                   const random::StudySecret& secret,
                                   const base::Executor& executor);

}  // namespace duets::protocol
