// The only way for the parties of a simulated algorithm to communicate; it counts what passes.
#pragma once

#include <cstddef>
#include <vector>

#include "duets/base/ids.h"
#include "duets/base/ledger.h"

namespace duets::problems {

/// Carries real numbers and adds their count to the ledger. The receiving side of an algorithm uses
/// what the channel returns, never the sender's own state, so an algorithm cannot use what was not
/// counted, and does not report its own cost. An index counts as one real.
class Channel {
 public:
  /// kInvalid when num_agents is 0.
  explicit Channel(std::size_t num_agents) : ledger_(num_agents) {}

  /// From an agent to the coordinator; returns what arrives.
  std::vector<double> uplink(base::AgentId from, std::vector<double> reals);

  /// From the coordinator to all agents; returns what each of them then has. Every agent already
  /// has `held` of the reals (its own part of a pool), so they are not sent over its link; kInvalid
  /// when held > reals.size().
  std::vector<double> broadcast(std::vector<double> reals, std::size_t held = 0);

  base::Ledger& ledger() { return ledger_; }
  const base::Ledger& ledger() const { return ledger_; }

 private:
  base::Ledger ledger_;
};

}  // namespace duets::problems
