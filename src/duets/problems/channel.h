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
///
/// `num_points` of a message is the number of points among its reals, each with all coordinates.
class Channel {
 public:
  /// `index_saves` is what the index of a candidate that all know saves: its coordinates less one,
  /// or 0 where candidates are not shared. kInvalid when num_agents is 0.
  explicit Channel(std::size_t num_agents, std::size_t index_saves = 0)
      : ledger_(num_agents), index_saves_(index_saves) {}

  /// From an agent to the coordinator; returns what arrives.
  std::vector<double> uplink(base::AgentId from, std::vector<double> reals,
                             std::size_t num_points = 0);

  /// From the coordinator to all agents; returns what each of them then has. Every agent already
  /// has `held` of the reals (its own part of a pool), so they are not sent over its link; kInvalid
  /// when held > reals.size().
  std::vector<double> broadcast(std::vector<double> reals, std::size_t held = 0,
                                std::size_t num_points = 0);

  base::Ledger& ledger() { return ledger_; }
  const base::Ledger& ledger() const { return ledger_; }
  /// LedgerTotals::paper if every point had been sent as an index where that is possible.
  double paper_with_indices() const;

 private:
  base::Ledger ledger_;
  std::size_t index_saves_;
  std::size_t points_up_ = 0;
  std::size_t points_down_ = 0;  // each broadcast once
};

}  // namespace duets::problems
