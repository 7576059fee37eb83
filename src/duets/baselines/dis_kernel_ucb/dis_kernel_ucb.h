// DisKernelUCB: agents that learn on their own and pool all their data from time to time.
#pragma once

#include <memory>

#include "duets/baselines/setting.h"

namespace duets::baselines {

/// D when tuning.threshold is not given.
inline constexpr double kDisKernelUcbThreshold = 10;

/// Exact GP-UCB on the pool of the last synchronisation and an agent's own rewards since; the
/// README beside this file has equations and trigger. Uses tuning.beta and tuning.threshold (D = 0:
/// synchronise after every round; infinity: never). kInvalid when beta is not a finite number >= 0,
/// the threshold is not >= 0, or the setting is not complete. O(u M) per query, u at most N t.
std::unique_ptr<problems::Policy> make_dis_kernel_ucb(const Setting& setting, const Tuning& tuning);

/// The same with kernel, lambda and level of the rewards fitted to the pooled rewards; the
/// setting's kernel is the guess, its lambda is used before the first synchronisation.
std::unique_ptr<problems::Policy> make_fitting_dis_kernel_ucb(const Setting& setting,
                                                              const Tuning& tuning);

}  // namespace duets::baselines
