// What a coordinator has found, in the user's units.
#pragma once

#include <optional>

#include "duets/protocol/coordinator.h"
#include "duets/service/definition.h"
#include "duets/service/study_status.h"

namespace duets::service {

/// The best posterior mean; nothing before the first epoch is closed.
std::optional<Found> recommendation_of(const Definition& definition,
                                       const protocol::Coordinator& coordinator);

/// The best reward observed; nothing before the study is finished.
std::optional<Found> best_trial_of(const Definition& definition,
                                   const protocol::Coordinator& coordinator,
                                   const random::StudySecret& secret);

}  // namespace duets::service
