// Simulates a study: an ensemble whose objective is a built-in function, with regret.
//
// Several processes may run one simulation together (base::Executor): each has the agents of its
// share of the units and a coordinator that gets the messages of all. All of them call simulate()
// with the same simulation, get the same result and call their observers in the same way; one of
// them writes the results.
#pragma once

#include <memory>
#include <optional>

#include "duets/base/executor.h"
#include "duets/harness/run_result.h"
#include "duets/harness/thinning.h"
#include "duets/problems/noise.h"
#include "duets/problems/problem.h"
#include "duets/protocol/coordinator.h"
#include "duets/protocol/ensemble.h"
#include "duets/protocol/reward_scale.h"
#include "duets/protocol/study.h"
#include "duets/random/coin.h"

namespace duets::harness {

/// The function is evaluated on the features of a point; RewardScale turns rewards into model
/// units.
struct Simulation : protocol::RewardScale {
  std::shared_ptr<const protocol::Study> study;
  std::shared_ptr<const problems::Problem> problem;
  problems::Noise noise;
  std::uint64_t seed = 1;
  std::optional<random::StudySecret> secret{};  ///< for the agents' coins and the public one, as in
                                                ///< a deployment; by default from the seed. The
                                                ///< problem's coin always comes from the seed
  protocol::Participation participation{};
  std::optional<double> reference{};  ///< regret is relative to this, with the sign that makes
                                      ///< larger better; by default best_value()
  bool picture = true;                ///< record a picture of a two-dimensional study
  protocol::Sharing sharing = protocol::Sharing::kPoints;  ///< changes the cost, never the result
  QueryThinning trials{};                                  ///< the queries that the observer gets
};

/// Receives the events of a run, in order, on the thread that runs the simulation.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void epoch_began(std::uint32_t /*epoch*/, std::uint32_t /*length*/) {}
  /// The queries that Simulation::trials keeps, epoch by epoch, in each by agent and slot.
  virtual void trial(const Trial& /*trial*/) {}
  /// This many more queries were made, kept or not.
  virtual void queries_done(std::uint64_t /*count*/) {}
  /// All answers of the epoch have arrived: the coordinator computes.
  virtual void exchange_began(std::uint32_t /*epoch*/) {}
  /// An epoch with a report.
  virtual void epoch_ended(const protocol::EpochEnded& /*ended*/) {}
  /// The digest of the run up to the end of an epoch, with a report or without.
  virtual void run_digest(std::uint32_t /*epoch*/, const base::Digest& /*digest*/) {}
};

/// Runs the study to its end. Throws kDiverged when an agent's points differ from the coordinator's
/// replay, kExhausted, kNumeric, kInvalid. The result depends only on the simulation, never on the
/// executor. O(N T) evaluations. Memory: memory_estimate.h; of the queries it stores only the
/// points and rewards of the open epoch and what the observer keeps. With several processes the
/// answers of an epoch are exchanged at once: 8 more bytes per query, and 12 + 8 d per kept trial.
RunResult simulate(const Simulation& simulation, const base::Executor& executor,
                   Observer& observer);

/// The best value of the function on the study's domain, for regret, with the sign that makes
/// larger better (-f when minimising): over all candidates of a finite set; the known maximum if
/// the domain is the function's own; otherwise by search.
double best_value(const Simulation& simulation, const base::Executor& executor);

}  // namespace duets::harness
