// States in a sentence what the theorem guarantees for a run, the same for simulation and
// deployment.
#pragma once

#include <string>

#include "duets/protocol/study.h"

namespace duets::protocol {

/// `complete`: no agent was excluded and no query failed.
std::string guarantee_of(const Study& study, bool complete);

/// How the horizon was changed: "planned with 25 queries of each agent, ended early after epoch 3,
/// extended to 50". Empty: it never was.
std::string horizon_changes_of(const Study& study);

/// Explains the interval of a recommendation in a phrase.
std::string interval_meaning_of(const Study& study);

}  // namespace duets::protocol
