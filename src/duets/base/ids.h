// Types for agent and epoch numbers, so that they cannot be confused.
#pragma once

#include <cstdint>

namespace duets::base {

/// An agent, counted from 0, also in texts.
enum class AgentId : std::uint32_t {};

/// An epoch, counted from 1 as in the paper.
enum class EpochId : std::uint32_t {};

/// The number behind an id.
constexpr std::uint32_t value(AgentId agent) { return static_cast<std::uint32_t>(agent); }
constexpr std::uint32_t value(EpochId epoch) { return static_cast<std::uint32_t>(epoch); }

constexpr EpochId next(EpochId epoch) { return EpochId{value(epoch) + 1}; }

}  // namespace duets::base
