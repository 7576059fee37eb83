// Random search: fresh uniform points, the best reward wins.
#pragma once

#include <memory>

#include "duets/baselines/setting.h"

namespace duets::baselines {

/// Every query is a fresh uniform point of the domain, not of the pool (on a finite set a uniform
/// candidate); recommended is the query with the largest reward. Agents need nobody: nothing is
/// sent. kInvalid when the setting is not complete. O(d) per query.
std::unique_ptr<problems::Policy> make_random_search(const Setting& setting, const Tuning& tuning);

}  // namespace duets::baselines
