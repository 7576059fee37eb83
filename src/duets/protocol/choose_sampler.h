// Chooses how the next region is sampled; the coordinator transmits the choice with the cut.
#pragma once

#include "duets/protocol/messages.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/report.h"

namespace duets::protocol {

/// How to sample X_{j+1}: by rejection, by walks, or from a cover, whichever needs the least work
/// for the points that all agents draw there (docs/decisions/0010, 0021). Acceptances are those of
/// the pool, or of the cover if one is chosen. `fallback_start` (the point of largest mean) is
/// sent only for walks for which the public stream gives no start. Fills cut_acceptance,
/// survivors, smallest_margin. At most 2^18 cells are tested. Returns the starts of walks that the
/// public stream gives, whose search is expensive.
numeric::Points choose_sampler(const PublicView& view, EpochId epoch, const region::Region& next,
                               const numeric::Points& pool, const numeric::Vector& fallback_start,
                               EpochReport& report, Trim& trim);

}  // namespace duets::protocol
