// The stage of a scenario: a coordinator, its agents, and the messages between them, moved only by
// commands.
//
//   study KEY=VALUE...            a new study (stage_study.cc has the keys)
//   start                         the coordinator begins
//   deliver [agent=A]             what waits for agent A, or for all agents
//   lose agent=A                  what waits for agent A is lost
//   catch-up agent=A              all broadcasts so far wait for the agent again
//   query agent=A [holes=..] [slots=..]   the agent answers its open slots, or these
//   send [agent=A]                what the agent, or every agent, sent reaches the coordinator
//   again agent=A                 the agent's outstanding message reaches the coordinator again
//   drop agent=A                  what the agent sent is lost
//   corrupt agent=A what=digest|value|nan|count|epoch|agent    the message that waits to be sent
//   close epoch=E agents=..       the host ends the epoch
//   crash coordinator             another goes on from its records
//   crash agent=A                 another goes on from what the agent was told
//   epoch                         everybody: deliver, query, send; only effects are printed
//   status                        where the coordinator stands
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "command.h"
#include "duets/protocol/agent.h"
#include "duets/protocol/coordinator.h"
#include "transcript.h"

namespace duets::scenario {

/// The study of a `study` command.
protocol::Study study_of(const Command& command);

class Stage {
 public:
  /// Carries out a line of a script. Errors of the library are an answer; std::runtime_error means
  /// that the script is wrong.
  Lines run(const std::string& line);

 private:
  using Answer = Lines (Stage::*)(const Command&);
  struct Post {
    std::vector<protocol::Message> down;  ///< waits for the agent
    std::optional<protocol::Message> up;  ///< waits for the coordinator
  };

  Lines open_study(const Command& command);
  Lines start(const Command& command);
  Lines deliver(const Command& command);
  Lines lose(const Command& command);
  Lines catch_up(const Command& command);
  Lines query(const Command& command);
  Lines send(const Command& command);
  Lines again(const Command& command);
  Lines drop(const Command& command);
  Lines corrupt(const Command& command);
  Lines close(const Command& command);
  Lines crash(const Command& command);
  Lines epoch(const Command& command);
  Lines status(const Command& command);

  Lines deliver_to(std::uint32_t agent);
  Lines send_from(std::uint32_t agent);
  Lines sent(std::uint32_t agent, const std::optional<protocol::Message>& message);
  Lines carry(const protocol::Effects& effects);
  std::optional<protocol::Message> answer(std::uint32_t agent, std::uint32_t slot, bool hole);
  std::uint32_t agent_of(const Command& command) const;
  protocol::Agent make_agent(std::uint32_t agent) const;
  /// Tells the agent something and remembers it; returns what the agent then sends.
  using Input = std::function<std::optional<protocol::Message>(protocol::Agent&)>;
  std::optional<protocol::Message> give(std::uint32_t agent, const Input& input);

  std::shared_ptr<const protocol::Study> study_;
  random::StudySecret secret_ = random::StudySecret::from_seed(1);
  base::SerialExecutor executor_;
  std::optional<protocol::Coordinator> coordinator_;
  std::vector<base::Bytes> journal_;
  std::vector<protocol::Agent> agents_;
  std::vector<std::vector<Input>> inputs_;  ///< one list an agent
  std::vector<Post> post_;
  std::vector<protocol::Message> broadcasts_;
};

}  // namespace duets::scenario
