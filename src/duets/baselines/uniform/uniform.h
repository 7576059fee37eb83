// Uniform play, a reference: the regret without learning anything.
#pragma once

#include <memory>

#include "duets/baselines/setting.h"

namespace duets::baselines {

/// Every query is a uniform arm (on a continuous domain, a uniform point of the pool). It sends
/// nothing and has nothing to tune. kInvalid when the setting is not complete. O(1) per query.
std::unique_ptr<problems::Policy> make_uniform(const Setting& setting, const Tuning& tuning);

}  // namespace duets::baselines
