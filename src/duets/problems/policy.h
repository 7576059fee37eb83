// The interface of an algorithm: points out, rewards in, messages through a channel.
#pragma once

#include <cstdint>
#include <optional>

#include "duets/base/ids.h"
#include "duets/numeric/matrix.h"
#include "duets/problems/channel.h"

namespace duets::problems {

/// All agents of one run and their coordinator. The harness goes through rounds t = 0 .. T-1; in
/// each, every agent in order of its number chooses a point and learns its reward, then the round
/// ends. Agents may communicate only at its end: what one agent knows of another must come out of
/// the channel. After round T-1 only recommend() is called.
///
/// A policy draws only from the coin it was made with (Purpose::kPolicy), so that a run is a
/// function of its seed.
class Policy {
 public:
  virtual ~Policy() = default;

  /// Latent coordinates of the agent's query at time t; a point of the domain.
  virtual numeric::Vector choose(base::AgentId agent, std::uint32_t t) = 0;

  /// The reward of that query, in model units.
  virtual void learn(base::AgentId agent, std::uint32_t t, double reward) = 0;

  /// Every agent has made t + 1 queries.
  virtual void end_round(std::uint32_t /*t*/, Channel& /*channel*/) {}

  /// Latent coordinates of the point that a user should take, asked once, after the last round.
  /// Nothing: the query with the largest reward, the first of equal ones. Agents that know
  /// different things may be compared for this; it is not counted.
  virtual std::optional<numeric::Vector> recommend() { return std::nullopt; }
};

}  // namespace duets::problems
