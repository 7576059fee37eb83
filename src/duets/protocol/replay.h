// The coordinator's replay of every agent's points, which the shared coins make possible.
//
// Agents are grouped in units of whole agents, fixed by the study. A process replays and keeps the
// agents of its share of the units (base::Executor) and learns about the others only through the
// functions here. "Collective": every process calls it, in the same order, and gets the same
// answer.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "duets/base/executor.h"
#include "duets/base/ids.h"
#include "duets/protocol/dataset.h"
#include "duets/protocol/history.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/study.h"
#include "duets/random/coin.h"

namespace duets::protocol {

/// The number of agents in a unit: about 16384 points of the longest epoch, and at least one agent.
std::uint32_t agents_per_unit(const Study& study);

/// The agents of units `begin` .. `end` - 1: first and one past the last.
base::UnitRange agents_of_units(const Study& study, const base::UnitRange& units);

std::size_t num_units(const Study& study);

class Replay {
 public:
  /// The executor must outlive it.
  Replay(std::shared_ptr<const Study> study, const random::StudySecret& secret,
         const base::Executor& executor);

  struct Opening {
    std::vector<std::uint64_t> digests;  ///< of each agent's points
    std::uint64_t tests = 0;             ///< membership tests made
    double smallest_margin = std::numeric_limits<double>::infinity();
  };
  /// Draws the points of an epoch, `length` for each agent, and forgets what no later epoch uses.
  /// Collective. O(N length) draws. `tests` includes those of the epoch's strata.
  Opening open(base::EpochId epoch, std::uint32_t length, const PublicView& view);

  /// The points of the open epoch; null for an agent of another process.
  std::shared_ptr<const region::Draw> draw(base::AgentId agent) const;

  // Set which rows of the open epoch count. No effect for an agent of another process.
  void exclude(std::uint32_t agent);
  void set_holes(std::uint32_t agent, const std::vector<std::uint32_t>& holes);
  void set_rewards(std::uint32_t agent, const std::vector<double>& rewards);

  /// The points of these agents (increasing) that count, in agent order; refers to this object.
  /// Collective.
  Dataset dataset(const std::vector<std::uint32_t>& participants) const;

  struct Chosen {
    numeric::Points latents;     ///< in agent order; each distinct one once on finite sets
    std::uint64_t num_rows = 0;  ///< with multiplicity
  };
  /// The points of the open epoch whose inducing coin falls below p; the one with the smallest coin
  /// when there is none. Collective.
  Chosen throw_coins(double p) const;

  /// All points that count, of all agents, as latents, in agent order; each distinct one once on
  /// finite sets, in the order of first appearance. Refers to this object. Collective.
  gp::DataBlocks latents() const;

  struct KnownRewards {
    numeric::Points latents;
    numeric::Vector rewards;
  };
  /// At most `most` rows of the open epoch that count, spread evenly over these agents
  /// (increasing), whose rewards were set; in agent order. Collective.
  KnownRewards newest_rewards(const std::vector<std::uint32_t>& agents, std::size_t most) const;

  /// K_SD (y - offset) of each of these agents (increasing), whose rewards were set. Collective.
  std::vector<numeric::Vector> projections(const std::vector<std::uint32_t>& agents,
                                           const ResolvedInducing& inducing) const;

 private:
  bool owns(std::uint32_t agent) const { return mine_.contains(agent); }
  const History& history(std::size_t agent) const { return histories_[agent - mine_.begin]; }
  base::UnitRange agents_of(std::size_t unit) const;
  std::vector<base::Bytes> gather_units(
      const std::function<base::Bytes(const base::UnitRange& agents)>& body) const;
  std::vector<std::shared_ptr<region::Draw>> draws(base::EpochId epoch, std::uint32_t length,
                                                   const PublicView& view) const;
  std::vector<std::uint64_t> tally(const std::vector<std::uint8_t>& takes_part) const;
  base::Bytes throw_coins_of(const base::UnitRange& agents, double p) const;
  gp::DataBlocks latent_blocks(const std::vector<std::uint8_t>& takes_part) const;

  std::shared_ptr<const Study> study_;
  const base::Executor& executor_;
  std::vector<random::Coin> coins_;  ///< of the agents of this process
  base::UnitRange units_;            ///< of this process
  base::UnitRange mine_;             ///< the agents of those units
  std::vector<History> histories_;   ///< of the agents of this process
  base::EpochId epoch_{};
};

}  // namespace duets::protocol
