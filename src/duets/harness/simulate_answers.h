// What the queries of simulated agents leave behind: plain data, and its bytes for other processes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/harness/simulate.h"
#include "duets/protocol/agent.h"
#include "duets/protocol/messages.h"

namespace duets::harness {

/// One agent's epoch.
struct Answers {
  base::AgentId agent{};
  base::EpochId epoch{};
  std::uint32_t first_t = 0;                 ///< time of slot 0
  std::optional<protocol::Message> message;  ///< what the agent sends up
  std::vector<double> truth;                 ///< f(x) of every slot, without noise; NaN for a hole
  // Of the slots that are shown somewhere:
  std::vector<std::uint32_t> shown;
  std::vector<double> shown_values;  ///< with noise
  numeric::Points shown_latents;
};

/// Asks the function for every point of the agent's plan and reports the answers to it. `holes`
/// (increasing) are the slots that fail. Shown are the slots that one of the two rules keeps.
Answers query_plan(const Simulation& simulation, const random::Coin& problem_coin,
                   const QueryThinning& picture, const std::vector<std::uint32_t>& holes,
                   protocol::Agent& agent);

/// A unit's answers as bytes.
base::Bytes encode_answers(std::span<const Answers> unit);
/// Throws kDecode for anything else.
std::vector<Answers> decode_answers(std::span<const std::uint8_t> bytes);

}  // namespace duets::harness
