// N-KernelUCB: agents that learn independently and never communicate.
#pragma once

#include <memory>

#include "duets/baselines/setting.h"

namespace duets::baselines {

/// N independent GP-UCB learners; the README beside this file has the equations. Uses tuning.beta;
/// kInvalid when it is not a finite number >= 0, or the setting is not complete. O(t M) per query.
std::unique_ptr<problems::Policy> make_n_kernel_ucb(const Setting& setting, const Tuning& tuning);

}  // namespace duets::baselines
