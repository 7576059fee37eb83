// Centralised GP-UCB, a reference: the regret if every reward were known to all at once.
#pragma once

#include <memory>

#include "duets/baselines/setting.h"

namespace duets::baselines {

/// One GP-UCB learner that makes all N T queries, one after the other: the README beside this file
/// has the equations. Nothing is sent. Uses tuning.beta; kInvalid when it is not a finite number
/// >= 0, or the setting is not complete. O(u M) per query, u at most N t.
std::unique_ptr<problems::Policy> make_gp_ucb(const Setting& setting, const Tuning& tuning);

}  // namespace duets::baselines
