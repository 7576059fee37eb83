// How coarsely agents may round what they upload (numbers = "short"): the coordinator knows what
// the posterior makes of it.
#pragma once

#include <cstdint>

#include "duets/protocol/public_view.h"
#include "duets/protocol/replay.h"

namespace duets::protocol {

/// The largest power of two that is not above half the deviation of the noise. Rounding without
/// bias then adds one to four per cent of the noise's variance.
std::int32_t reward_exponent(double lambda);

/// So that the rounding of all agents' projections moves the mean by a tenth of its deviation, or
/// less, at every point of a sample. `message` is S_j, not yet sent. Not strict. Collective.
std::int32_t projection_exponent(const PublicView& view, const InducingSet& message,
                                 const Replay& replay, const numeric::Points& pool, double lambda);

}  // namespace duets::protocol
