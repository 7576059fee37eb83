// Counts communication in the three ways that the literature uses.
#pragma once

#include <cstdint>

#include "duets/base/ids.h"

namespace duets::base {

/// Real numbers and bytes sent so far. The closing messages after an agent's last query are counted
/// only in their own columns.
struct LedgerTotals {
  double paper = 0;           ///< reals: mean uplink per agent + every broadcast once
  std::uint64_t figure = 0;   ///< reals: total uplink only, what the published plots show
  std::uint64_t links = 0;    ///< reals: every link, unicast: total uplink + N * broadcast
  std::uint64_t bytes = 0;    ///< as `links`, in bytes
  std::uint64_t closing = 0;  ///< as `links`, closing messages only
  std::uint64_t closing_bytes = 0;

  friend bool operator==(const LedgerTotals&, const LedgerTotals&) = default;
};

/// Add messages in any order: counts are integers. An index counts as one real; digests and sampler
/// settings count as bytes only.
class Ledger {
 public:
  /// kInvalid when num_agents is 0.
  explicit Ledger(std::size_t num_agents);

  /// A message from an agent. kInvalid when the agent is not below num_agents.
  void uplink(AgentId agent, std::uint64_t reals, std::uint64_t bytes);

  /// The same message to all agents. `held` of its reals are not sent over an agent's link, because
  /// the agent already has them (its own part of a pool): `paper` counts `reals` once,
  /// `links` counts N (reals - held). `bytes` is what one link carries. kInvalid when held > reals.
  void broadcast(std::uint64_t reals, std::uint64_t bytes, std::uint64_t held = 0);

  void closing_uplink(AgentId agent, std::uint64_t reals, std::uint64_t bytes);
  void closing_broadcast(std::uint64_t reals, std::uint64_t bytes);

  std::size_t num_agents() const { return num_agents_; }
  LedgerTotals totals() const;

 private:
  struct Counts {
    std::uint64_t reals = 0;
    std::uint64_t bytes = 0;
  };
  void check_agent(AgentId agent) const;

  std::size_t num_agents_;
  Counts up_;
  Counts down_;                   // each broadcast once
  std::uint64_t down_links_ = 0;  // reals, each broadcast as often as it is sent
  Counts closing_;                // over every link
};

}  // namespace duets::base
