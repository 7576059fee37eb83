// Regret, summed over agents and time.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/base/ids.h"

namespace duets::problems {

/// Collects reference - f(x) for every query (agent, t), t counted from 0, in any order. The sums
/// are taken in the order of t and, at one t, of agents: so they do not depend on the order of
/// arrival.
///
/// The reference is the caller's: with the best candidate of a finite set no instant regret is
/// negative by more than rounding; with the maximum over a continuous domain it is larger. A query
/// that never happened contributes nothing. Holds 8 N T bytes.
class RegretCurve {
 public:
  /// kInvalid when num_agents or horizon is 0, or the reference is not finite.
  RegretCurve(std::size_t num_agents, std::size_t horizon, double reference);

  /// `value` is f(x) without noise. kInvalid when agent or t is out of range, the value is not
  /// finite, or that query was added before.
  void add(base::AgentId agent, std::uint64_t t, double value);

  double reference() const { return reference_; }
  std::size_t num_added() const { return num_added_; }

  /// Entry t is the regret of all agents up to and including query t. O(N T).
  std::vector<double> cumulative() const;

  /// The last entry of cumulative().
  double total() const { return cumulative().back(); }

  /// Entry t is the smallest instant regret of any query up to and including t; +infinity before
  /// the first. O(N T).
  std::vector<double> simple() const;

 private:
  std::size_t num_agents_;
  std::size_t horizon_;
  double reference_;
  std::size_t num_added_ = 0;
  std::vector<double> instant_;  // t * num_agents_ + agent; NaN where nothing was added
};

}  // namespace duets::problems
