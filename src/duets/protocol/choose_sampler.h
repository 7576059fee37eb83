// How the next region is sampled: the coordinator's choice, transmitted with the cut.
#pragma once

#include "duets/protocol/messages.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/report.h"

namespace duets::protocol {

/// How to sample X_{j+1}, from the fraction of the pool that the cut keeps. `fallback_start` (the
/// point of largest mean) is sent only when the public stream gives no start. Fills cut_acceptance,
/// survivors.
void choose_sampler(const PublicView& view, EpochId epoch, const region::Region& next,
                    const numeric::Points& pool, const numeric::Vector& fallback_start,
                    EpochReport& report, Trim& trim);

}  // namespace duets::protocol
