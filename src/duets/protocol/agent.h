// One agent, without IO: rewards and broadcasts in, messages out.
//
// The same state and input give the same bytes. No clock, socket, thread, file or log inside.
// The host's duties: query the points of plan() in any order and report each slot once; deliver
// broadcasts at least once, in epoch order; send outstanding() again when unsure that it arrived.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duets/protocol/history.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// All points of the open epoch, known at its start.
struct Plan {
  EpochId epoch{};
  std::uint32_t first_t = 0;  ///< time of slot 0: queries before this epoch
  std::shared_ptr<const region::Draw> draw;
  const numeric::Points& latents() const { return draw->latents; }  ///< one row per slot
};

/// Points already drawn in this process: the agent's own of that epoch, or null.
using DrawnPoints = std::function<std::shared_ptr<const region::Draw>(EpochId)>;

class Agent {
 public:
  /// `coin` is the agent's own; `view` may be shared with other agents of this process. The agent
  /// draws its points with its coin unless `drawn` has them: a simulation need not draw twice.
  Agent(std::shared_ptr<const Study> study, AgentId id, const random::Coin& coin,
        std::shared_ptr<PublicView> view, DrawnPoints drawn = {});

  AgentId id() const { return id_; }
  const Plan& plan() const { return plan_; }
  bool is_last() const { return base::value(plan_.epoch) == lengths_.size(); }
  /// True once the last closing message was returned. plan() stays on the last epoch.
  bool finished() const { return finished_; }

  /// The reward of a slot of the open epoch, in model units. Reporting the same value again is
  /// ignored. Throws kInvalid for a slot that does not exist, a reward that is not usable, or a
  /// second, different answer. Returns the upload or closing message once it is complete.
  std::optional<Message> report(std::uint32_t slot, double reward);

  /// The slot has no reward and never will.
  std::optional<Message> report_hole(std::uint32_t slot);

  /// A broadcast, or an answer. Broadcasts of earlier epochs are ignored. A Trim of the open epoch
  /// ends it, finished or not: missed queries are not made later, and rewards of an epoch that
  /// closed without this agent (or without this machine) do not count for its best trial. So an
  /// agent can continue from the broadcasts alone; with data = "surviving", where later uploads
  /// need earlier rewards, that throws kProtocol. A refusal with reason kDiverged throws kDiverged;
  /// other refusals are ignored. Throws kProtocol for messages that do not fit. May return the
  /// upload (S_j arrived after the last reward, or an epoch without queries began).
  std::optional<Message> receive(const Message& message);

  /// The message that was sent last and not yet answered by a broadcast.
  const std::optional<Message>& outstanding() const { return outstanding_; }

  /// The message that the coordinator accepted for the open epoch came from another machine:
  /// nothing reported here in this epoch counts as this agent's best trial. Throws kProtocol with
  /// data = "surviving", where later uploads would need the rewards of that message.
  void disown();

 private:
  enum class SlotState : std::uint8_t { kOpen = 0, kReward = 1, kHole = 2 };
  /// Of the open epoch.
  struct Answers {
    std::vector<SlotState> states;
    std::vector<double> rewards;
    bool has_inducing = false;  ///< the view has it, for all agents that share it
    bool disowned = false;
  };

  [[noreturn]] void fail(const std::string& what) const;
  void open_epoch(EpochId epoch);
  void end_epoch(bool took_part);
  void set_slot(std::uint32_t slot, SlotState state, double reward);
  void keep_best(const BestTrial& trial);
  std::vector<std::uint32_t> holes() const;
  RoundedNumbers values_to_send() const;
  std::vector<double> project() const;
  std::optional<Message> send_when_ready();
  Upload make_upload() const;
  Closing make_closing() const;

  std::shared_ptr<const Study> study_;
  std::vector<std::uint32_t> lengths_;
  AgentId id_;
  random::Coin coin_;
  std::shared_ptr<PublicView> view_;
  DrawnPoints drawn_;
  History history_;
  Plan plan_;
  Answers answers_;
  std::uint32_t num_open_ = 0;  ///< slots of the open epoch without an answer
  std::optional<BestTrial> best_;
  std::optional<BestTrial> best_before_;  ///< of the epochs before the open one
  std::optional<Message> outstanding_;
  bool finished_ = false;
  bool closes_ = false;        ///< of the open epoch
  bool sends_values_ = false;  ///< likewise
};

}  // namespace duets::protocol
