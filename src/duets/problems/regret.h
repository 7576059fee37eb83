// Regret, summed over agents and time.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/base/ids.h"

namespace duets::problems {

/// Collects reference - f(x) for every query (agent, t), t counted from 0. The sums are taken in
/// the order of t and, at one t, of agents, in one running sum, so they do not depend on the order
/// of arrival, nor on threads or processes.
///
/// The caller chooses the reference: with the best candidate of a finite set no instant regret is
/// negative by more than rounding; with the maximum over a continuous domain it is larger. A query
/// that was never made contributes nothing.
///
/// That order needs the queries of all agents at once, so the object holds one stretch of time: 8
/// bytes for each query of it, and 16 bytes for each time. A caller whose queries come epoch by
/// epoch declares that with expect(); otherwise the stretch is the whole horizon.
class RegretCurve {
 public:
  /// kInvalid when num_agents or horizon is 0, or the reference is not finite.
  RegretCurve(std::size_t num_agents, std::size_t horizon, double reference);

  /// The next queries are those from the end of the previous stretch (0 at first) to end - 1;
  /// earlier ones are summed and forgotten. kInvalid when `end` is not after that, or beyond the
  /// horizon.
  void expect(std::uint64_t end);

  /// `value` is f(x) without noise. kInvalid when agent or t is out of range or t outside the
  /// stretch, the value is not finite, or that query was added before.
  void add(base::AgentId agent, std::uint64_t t, double value);

  double reference() const { return reference_; }
  std::size_t num_added() const { return num_added_; }

  /// Entry t is the regret of all agents up to and including query t. O(T + queries held).
  std::vector<double> cumulative() const;

  /// The last entry of cumulative().
  double total() const { return cumulative().back(); }

  /// Entry t is the smallest instant regret of any query up to and including t; +infinity before
  /// the first. O(T + queries held).
  std::vector<double> simple() const;

 private:
  struct Curves {
    std::vector<double> cumulative;
    std::vector<double> simple;
  };
  void settle_into(Curves& curves) const;
  Curves whole() const;

  std::size_t num_agents_;
  std::size_t horizon_;
  double reference_;
  std::size_t num_added_ = 0;
  Curves settled_;         // of the times before begin_
  std::size_t begin_ = 0;  // the stretch
  std::size_t end_ = 0;
  bool told_ = false;            // expect() was called
  std::vector<double> instant_;  // (t - begin_) * num_agents_ + agent; NaN where nothing was
                                 // added; empty while nothing was
};

}  // namespace duets::problems
