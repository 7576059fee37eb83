// The host of a simulation: who is queried when, and what is told to whom.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "duets/harness/picture.h"
#include "duets/harness/simulate.h"
#include "duets/harness/simulate_answers.h"
#include "duets/problems/ledger.h"
#include "duets/problems/regret.h"
#include "duets/protocol/agent.h"
#include "duets/protocol/coordinator.h"

namespace duets::harness {

/// Runs once. The arguments must outlive it.
class SimulationHost {
 public:
  SimulationHost(const Simulation& simulation, const base::Executor& executor, Observer& observer);

  RunResult run();

 private:
  using AgentId = base::AgentId;
  using EpochId = base::EpochId;

  void make_agents();
  void run_epoch();
  const EpochAbsence& absence() const;
  std::vector<Answers> query_unit(std::size_t unit, const EpochAbsence& away);
  void query_in_waves(const EpochAbsence& away);
  void query_and_gather(const EpochAbsence& away);
  void take(std::vector<Answers> unit);
  void show(const Answers& answers);

  void deliver_up(const protocol::Message& message, AgentId agent);
  void carry_out(const protocol::Effects& effects);
  void deliver_down(const protocol::Outgoing& outgoing);
  void for_each_agent(const std::function<void(std::size_t index)>& body) const;
  void mark(std::uint32_t t);

  double sign() const { return sim_.minimise ? -1.0 : 1.0; }
  double user_value(double reward) const;
  RecommendationView view_of(const protocol::Recommendation& recommendation) const;
  BestTrialView view_of(const protocol::BestTrial& best) const;
  RunResult result();
  void describe_study(RunResult& result) const;

  const Simulation& sim_;
  const protocol::Study& study_;
  const base::Executor& executor_;
  Observer& observer_;
  random::StudySecret secret_;
  random::Coin problem_coin_;
  std::vector<std::uint32_t> lengths_;
  base::UnitRange units_;  ///< of this process
  base::UnitRange mine_;   ///< the agents of those units
  protocol::Coordinator coordinator_;
  double optimum_;  ///< sign * f(x*)
  problems::Ledger ledger_;
  problems::RegretCurve regret_;
  std::shared_ptr<protocol::PublicView> view_;          ///< the agents'
  std::vector<std::optional<protocol::Agent>> agents_;  ///< of this process
  std::vector<CommunicationPoint> communication_;
  PictureRecorder picture_;
  std::uint64_t num_unheard_ = 0;  ///< agents whose message of the open epoch is still to come
};

}  // namespace duets::harness
