// Agents in words: "3", "0-99" on the command line, "agents 0-2, 7" for people.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace duets::cli {

/// "A-B" with A <= B, or "A". kInvalid naming `flag`; at most kMaxHostedAgents agents.
std::pair<std::uint32_t, std::uint32_t> parse_agent_range(const std::string& text,
                                                          const std::string& flag);

/// The most agents that one process hosts.
inline constexpr std::uint32_t kMaxHostedAgents = 10000;

/// "agent 3", "agents 0-2, 7", "agents 0, 2, 4 and 20 more"; the list is increasing and not empty.
std::string agents_text(const std::vector<std::uint32_t>& agents);

/// "1 agent", "3 agents".
std::string count_text(std::uint64_t count, const char* one, const char* many);

}  // namespace duets::cli
