// Batch Bayesian optimisation as one would run it in one place: ask for N points, tell N rewards.
#pragma once

#include <memory>

#include "duets/baselines/setting.h"

namespace duets::baselines {

/// One central learner that asks each agent for one query a round and is told its reward: N T
/// (d + 1) reals over all links. A Gaussian process with a length scale for each parameter, fitted
/// to the rewards; expected improvement with kriging believer. The README beside this file has the
/// equations. Nothing to tune. kInvalid when the setting is not complete. O(n^3) a round after n
/// queries, at most kBatchGpRows of which the model sees.
std::unique_ptr<problems::Policy> make_batch_gp(const Setting& setting, const Tuning& tuning);

inline constexpr std::size_t kBatchGpRows = 1000;

}  // namespace duets::baselines
