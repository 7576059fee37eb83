// The answers of simulated agents: plain data, and its encoding for other processes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/harness/simulate.h"
#include "duets/protocol/ensemble.h"

namespace duets::harness {

/// One agent's epoch, as if no query had failed.
struct Answers {
  base::AgentId agent{};
  base::EpochId epoch{};
  std::uint32_t first_t = 0;  ///< time of slot 0
  std::vector<double> truth;  ///< f(x) of every slot, without noise
  // For the slots that are shown somewhere:
  std::vector<std::uint32_t> shown;
  std::vector<double> shown_values;  ///< with noise
  numeric::Points shown_latents;
};

/// f without noise at every point.
std::vector<double> true_values(const Simulation& simulation, const numeric::Points& latents);

/// Evaluates the function at every point of the agent's plan; the notes are the encoded answers.
/// The shown slots are those that one of the two rules keeps.
protocol::PlanAnswers query_plan(const Simulation& simulation, const random::Coin& problem_coin,
                                 const QueryThinning& picture, const protocol::Agent& agent);

/// Throws kDecode for bytes that query_plan does not write.
Answers decode_answers(std::span<const std::uint8_t> bytes);

}  // namespace duets::harness
