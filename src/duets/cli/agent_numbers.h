// Parses and prints agent numbers: "3", "0-99" on the command line, "agents 0-2, 7" for people.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "duets/base/count_text.h"

namespace duets::cli {

/// "A-B" with A <= B, or "A". kInvalid naming `flag`; at most kMaxHostedAgents agents.
std::pair<std::uint32_t, std::uint32_t> parse_agent_range(const std::string& text,
                                                          const std::string& flag);

/// The most agents in one process.
inline constexpr std::uint32_t kMaxHostedAgents = 10000;

/// "agent 3", "agents 0-2, 7", "agents 0, 2, 4 and 20 more"; the list is increasing and not empty.
std::string agents_text(const std::vector<std::uint32_t>& agents);

using base::count_text;

}  // namespace duets::cli
