// A coordinator and its agents in one process: the one host loop of simulations, local studies,
// tests and benchmarks.
//
// It carries messages at once and knows no objective; whoever uses it answers the agents' plans,
// epoch by epoch or query by query.
// Several processes may run one ensemble together (base::Executor): each has the agents of its
// share of the units and a coordinator that takes the messages of all. All of them make the same
// calls and are told the same.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "duets/protocol/agent.h"
#include "duets/protocol/coordinator.h"
#include "duets/protocol/participation.h"

namespace duets::protocol {

/// What the agents of an ensemble do not compute each for itself. Changes the cost, never the run.
enum class Sharing : std::uint8_t {
  kNothing,  ///< every agent draws its points and keeps its regions, as in a deployment
  kRegions,  ///< the regions are kept once
  kPoints,   ///< and the coordinator's replay serves the agents: every point is drawn once
};

/// One agent's answers to its plan.
struct PlanAnswers {
  std::vector<double> rewards;  ///< one per slot, model units; NaN where the query failed
  base::Bytes notes;            ///< whatever else is to be known of them in every process
};

/// Reports one reward, or a hole for NaN; returns what the agent sends then.
std::optional<Message> answer_slot(Agent& agent, std::uint32_t slot, double reward);
/// Reports the rewards of all slots to the agent; returns what it sends then.
std::optional<Message> answer_plan(Agent& agent, const std::vector<double>& rewards);

class Ensemble {
 public:
  /// Called with what an input leads to, before its messages reach the agents.
  using Sink = std::function<void(const Effects&)>;
  /// Called once an epoch for every agent of this process that takes part, perhaps for several at
  /// the same time.
  using Answering = std::function<PlanAnswers(const Agent&)>;
  /// Called with the notes of every agent, in agent order, before the epoch closes.
  using Noting = std::function<void(std::span<const std::uint8_t> notes)>;

  /// Throws kInvalid for a bad study. The executor must outlive the ensemble.
  Ensemble(std::shared_ptr<const Study> study, const random::StudySecret& secret,
           const base::Executor& executor, Sharing sharing = Sharing::kRegions, Sink sink = {});
  Ensemble(const Ensemble&) = delete;
  Ensemble& operator=(const Ensemble&) = delete;

  /// Begins epoch 1: the agents are there from now on. Once.
  Effects start();
  /// Reports to an agent what is known of its open epoch. What it sends then is not lost.
  using Recalling = std::function<void(Agent&)>;
  /// Instead of start(): goes on where the ensemble with these records was cut off. Every agent
  /// recalls each epoch before it ends, also the open one. Does what Coordinator::resume() does.
  /// Throws like Coordinator::replay().
  void resume(std::span<const base::Bytes> records, const Recalling& recall);

  /// All agents that take part answer their plans, the others are left out. What they send goes up
  /// in agent order. Throws kDiverged when an agent's points differ from the coordinator's replay,
  /// kProtocol when the coordinator refuses a message for another reason.
  void run_epoch(const EpochAbsence& away, const Answering& answer, const Noting& note = {});
  /// All epochs that are left.
  void run(const Answering& answer, const Participation& participation = {});

  /// Sends up what agents have complete and the coordinator does not have, for those who report to
  /// the agents themselves (answer_slot). Throws like run_epoch.
  void catch_up();

  /// Single steps, for any order of events in one process: a message reaches the coordinator, the
  /// coordinator closes an epoch; what it then sends reaches the agents.
  Effects deliver(const Message& message) { return carry_out(coordinator_->receive(message)); }
  Effects close(EpochId epoch, const std::vector<AgentId>& participants) {
    return carry_out(coordinator_->close(epoch, participants));
  }
  /// Goes on with a coordinator that was replayed from these records, all that were given out.
  void restart(std::span<const base::Bytes> records) {
    coordinator_.emplace(Coordinator::replay(study_, secret_, executor_, records));
  }

  bool finished() const { return coordinator_->finished(); }
  Coordinator& coordinator() { return *coordinator_; }
  const Coordinator& coordinator() const { return *coordinator_; }
  const Study& study() const { return *study_; }
  const random::StudySecret& secret() const { return secret_; }
  /// An agent of this process.
  Agent& agent(std::uint32_t number) { return *agents_.at(number - mine_.begin); }
  const Agent& agent(std::uint32_t number) const { return *agents_.at(number - mine_.begin); }

 private:
  void make_agents();
  void for_each_agent(const std::function<void(std::size_t index)>& body) const;
  base::Bytes answer_unit(std::size_t unit, const EpochAbsence& away, const Answering& answer);
  void take_unit(std::span<const std::uint8_t> bytes, const Noting& note);
  void take(const Message& message);
  Effects carry_out(Effects effects);
  void send(const Outgoing& outgoing);

  std::shared_ptr<const Study> study_;
  const random::StudySecret secret_;
  const base::Executor& executor_;
  const Sharing sharing_;
  Sink sink_;
  base::UnitRange units_;  ///< of this process
  base::UnitRange mine_;   ///< the agents of those units
  std::optional<Coordinator> coordinator_;
  std::shared_ptr<PublicView> view_;          ///< that the agents share
  std::vector<std::optional<Agent>> agents_;  ///< of this process
};

}  // namespace duets::protocol
