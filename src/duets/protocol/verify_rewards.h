// The part of verify() that recomputes the agents' messages from their answers.
#pragma once

#include <map>
#include <memory>
#include <span>

#include "duets/protocol/agent.h"
#include "duets/protocol/verify_findings.h"

namespace duets::protocol {

class RewardCheck {
 public:
  RewardCheck(const std::shared_ptr<const Study>& study, const random::StudySecret& secret,
              const base::Executor& executor, std::span<const Answer> answers,
              std::vector<Finding>& findings);

  /// The records in order.
  void follow(const Record& record);
  /// At the end: num_points and made_again.
  void move_to(Verification& verification);

 private:
  struct Follower {
    Agent agent;
    bool knows_all = true;  ///< answered every epoch so far that it took part in
  };
  void begin_epoch(EpochId epoch);
  void answer(Follower& follower, EpochId epoch);
  void check_point(const Follower& follower, const Answer& answer);
  void broadcast(const Message& message);
  void compare(const Message& message);
  void give_up(AgentId agent, const std::string& why);

  std::shared_ptr<const Study> study_;
  std::map<AgentId, std::map<EpochId, std::vector<Answer>>> answers_;
  std::map<AgentId, Follower> followers_;
  FindingList out_;
  std::size_t num_points_ = 0;
  std::vector<MadeAgain> made_again_;
};

}  // namespace duets::protocol
