// Effects, messages and events as stable text.
//
// What lies inside the determinism boundary (points, survivors, participation, their digests) is
// printed exactly; what the coordinator computes outside it (weights, thresholds, deviations) to
// six significant digits, because its last bits belong to the instruction set.
#pragma once

#include "duets/protocol/coordinator.h"
#include "transcript.h"

namespace duets::scenario {

std::string describe(const protocol::Message& message);
std::string describe(const protocol::Record& record);
std::string describe(const protocol::Event& event);

/// Records, messages and events, in this order, one a line.
Lines describe(const protocol::Effects& effects);

/// "1,2,3", or "-" when empty.
std::string join(const std::vector<std::uint32_t>& numbers);
std::string join(const std::vector<protocol::AgentId>& agents);

}  // namespace duets::scenario
