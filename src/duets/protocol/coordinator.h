// The coordinator, without IO: messages in, effects out.
//
// The same state and input give the same bytes. No clock, socket, thread, file or log inside.
// Time enters only as the host's decision `close`. The host's duties: persist the records of an
// effect before sending its messages; deliver every message at least once, in any order across
// agents.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "duets/base/executor.h"
#include "duets/protocol/epoch_model.h"
#include "duets/protocol/final_point.h"
#include "duets/protocol/learner.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/records.h"
#include "duets/protocol/replay.h"
#include "duets/protocol/report.h"
#include "duets/protocol/run_summary.h"
#include "duets/protocol/study.h"
#include "duets/random/coin.h"

namespace duets::protocol {

/// A message and its recipient.
struct Outgoing {
  std::optional<AgentId> to;  ///< empty: all agents
  Message message;
};

struct EpochBegan {
  EpochId epoch{};
  std::uint32_t length = 0;
};
struct EpochEnded {
  EpochId epoch{};
  bool has_report = false;
  bool cuts = false;  ///< a closing epoch does not
  EpochReport report;
};
struct MessageRefused {
  Refusal refusal;
};
/// The epoch could not be closed with this agent's message and was closed without it.
struct MessageLeftOut {
  AgentId agent{};
  EpochId epoch{};
  std::string why;
};
struct StudyFinished {};
using Event = std::variant<EpochBegan, EpochEnded, MessageRefused, MessageLeftOut, StudyFinished>;

/// The effects of an input, to be carried out in this order.
struct Effects {
  std::vector<Record> records;     ///< persist
  std::vector<Outgoing> messages;  ///< send
  std::vector<Event> events;       ///< report
};

/// A coordinator's own result where a journal closes an epoch.
struct RecomputedClosing {
  EpochClosed record;  ///< on the recorded model, weights, width and deviation; the rest its own
  numeric::Vector weights;  ///< its own, as the next three; unless the epoch sends nothing
  CutForm cut;
  double width = 0;
  double max_stddev = 0;
  Decision decision;
  /// Where a model was learned: the logarithms of how plausible the recorded and its own are.
  std::optional<double> recorded_evidence;
  double own_evidence = 0;
  ResolvedInducing inducing;  ///< that the weights belong to
  CutForm recorded_cut;       ///< where there is a Trim
  /// Where the answer is one of the whole run: its own, and what it thinks of the recorded one.
  std::optional<FinalPoint> final_point;
  FinalPoint recorded_point;
};

class Coordinator {
 public:
  /// Throws kInvalid for a bad study. The executor must outlive the coordinator.
  Coordinator(std::shared_ptr<const Study> study, const random::StudySecret& secret,
              const base::Executor& executor);

  /// Begins epoch 1. Once.
  Effects start();

  /// A message of an agent. Accepted messages are recorded; when the last missing one arrives the
  /// epoch closes. A message that is not accepted changes nothing and is answered:
  ///   the same upload again       -> nothing (or the Trim, when the epoch is closed)
  ///   another upload, same epoch  -> Refusal kConflict, the first one counts
  ///   an epoch that is closed     -> Refusal kStale and the Trim that closed it
  ///   unknown agent, future epoch -> Refusal kForeign
  ///   wrong counts or holes       -> Refusal kShape
  ///   NaN, infinity, or a reward that is not usable -> Refusal kUnusable
  ///   another digest of points    -> Refusal kDiverged
  ///
  /// Closing may fail with kNumeric or kInvalid because of numbers that are finite but too large to
  /// compute with. It is then tried once more without the messages whose largest number is more
  /// than 2^20 times that of the median message: their agents are excluded from the epoch like
  /// absent ones, and events name them. The error is thrown when there is no such message or
  /// closing fails again. The same applies to close() and resume().
  Effects receive(const Message& message);

  /// The host's decision to end the open epoch with the agents in `participants` (increasing). Each
  /// must have uploaded; the others are excluded exactly. kInvalid when the list is empty, not
  /// increasing, names an agent without upload, or the epoch is not open.
  Effects close(EpochId epoch, const std::vector<AgentId>& participants);

  /// What is missing after records that end anywhere: hosts call it once after replay().
  /// Starts a study that has no record, closes an epoch whose messages are all there,
  /// opens the one after a closed epoch; otherwise nothing. Then the coordinator goes on with the
  /// same bytes as one that was never cut off. A decision of the host that is not in the records
  /// is not in them: the host makes it again. Throws what closing threw before, if it did; the host
  /// may then close() without the culprit.
  Effects resume();

  bool finished() const { return finished_; }
  EpochId epoch() const { return epoch_; }
  /// False before start(), at the end, and after records that end with a closed epoch.
  bool is_open() const { return is_open_; }
  /// Agents whose message for the open epoch is missing, increasing.
  std::vector<AgentId> waiting_for() const;

  /// Of all records that this coordinator gave out or replayed.
  const RunSummary& summary() const { return summary_; }
  /// The points of an agent in the open epoch, for agents that live in this process; null for an
  /// agent whose points another process replays.
  std::shared_ptr<const region::Draw> points(AgentId agent) const { return replay_.draw(agent); }
  const PublicView& view() const { return *view_; }

  /// A coordinator from the journal of its host: all records of all effects, encoded, in order;
  /// the end may be missing. It goes on with the same bytes out. Decides nothing again; draws the
  /// points of every epoch. Throws kDecode, kProtocol or kInvalid for records that no run of
  /// this study and secret leaves.
  static Coordinator replay(std::shared_ptr<const Study> study, const random::StudySecret& secret,
                            const base::Executor& executor, std::span<const base::Bytes> records);

  /// The same journal record by record, for verify(). `recompute` says what this coordinator would
  /// decide where the journal has `recorded`, and changes nothing. The record is computed on the
  /// numbers of `recorded` that come from outside the determinism boundary, so that all the rest
  /// has to agree to the bit; what it finds for those numbers itself stands beside it. kInvalid
  /// when no epoch is due to open, or close() would refuse; kNumeric and kExhausted as ever.
  void follow(const Record& record);
  EpochOpened recompute(const EpochOpened& recorded) const;
  RecomputedClosing recompute(const EpochClosed& recorded) const;
  /// The digest of an agent's points in the open epoch, as its message has it.
  std::uint64_t points_digest_of(AgentId agent) const {
    return sent_digest(point_digests_.at(base::value(agent)), study_->numbers, closes());
  }
  /// Why a message would be refused now, other than for being a second one.
  std::optional<Reason> refusal_of(const Message& message) const;

 private:
  bool is_last() const { return base::value(epoch_) == lengths_.size(); }
  /// Whether a stage ends with the open epoch.
  bool closes() const { return closes_; }
  bool sends_values() const { return sends_values_; }
  /// The epoch that a closing message belongs to: one that ended a stage, or the next that will.
  EpochId epoch_of(const Closing& closing) const;
  /// Whether agents send the open epoch's rewards as such.
  bool sends_rewards() const;
  bool recalls() const { return recalls_all(*study_, epoch_); }
  bool is_complete(const EpochReport& report) const;
  EpochOpened make_opening(std::optional<double> recorded_sigma2);
  void open_epoch(Effects& effects);
  void replay_points(EpochReport& report);
  const numeric::Points& pool();
  std::vector<std::uint32_t> everybody() const;
  RewardWish reward_wish() const;
  std::optional<std::int32_t> exponent_of(const InducingSet& message);

  std::optional<Reason> objection(AgentId agent, EpochId epoch, std::uint64_t digest,
                                  const std::vector<std::uint32_t>& holes) const;
  /// How many values a message of the open epoch has.
  std::size_t num_values(std::size_t num_holes) const;
  bool usable(const std::vector<double>& values) const;
  std::optional<Reason> objection(const Upload& upload) const;
  std::optional<Reason> objection(const Closing& closing) const;
  void take(const Message& message, AgentId agent, Effects& effects);
  void refuse(AgentId agent, EpochId epoch, Reason reason, Effects& effects) const;
  Effects receive_upload(const Upload& upload);
  Effects receive_closing(const Closing& closing);

  std::vector<std::uint32_t> checked_participants(EpochId epoch,
                                                  const std::vector<AgentId>& participants) const;
  EpochClosed begin_closing(const std::vector<std::uint32_t>& participants);
  std::optional<gp::Parameters> learn(EpochReport& report) const;
  ResolvedInducing inducing_with(const std::optional<gp::Parameters>& learned,
                                 EpochReport& report) const;
  Solution solve(const ResolvedInducing& inducing, const std::vector<std::uint32_t>& participants,
                 EpochReport& report);
  FinalPoint final_point(const ResolvedInducing& inducing, const Solution& solution) const;
  void cut_region(const ResolvedInducing& inducing, const Solution& solution, EpochClosed& closed);
  EpochClosed compute_closing(const std::vector<std::uint32_t>& participants);
  EpochClosed close_without_outliers(const std::vector<std::uint32_t>& participants,
                                     Effects& effects);
  double largest_usable_number() const;
  std::vector<std::uint32_t> outliers(const std::vector<std::uint32_t>& participants) const;
  void finish_epoch(const std::vector<std::uint32_t>& participants, Effects& effects);
  numeric::Vector summed_projections(const ResolvedInducing& inducing,
                                     const std::vector<std::uint32_t>& participants) const;
  void settle_participation(const std::vector<std::uint32_t>& participants, EpochReport& report);
  void advance_digests(EpochClosed& closed) const;

  Coordinator fork() const;
  Effects with_unsent(Effects effects);
  void apply_opened(const EpochOpened& opened);
  void apply_taken(const MessageTaken& taken);
  void apply_closed(const EpochClosed& closed);

  std::shared_ptr<const Study> study_;
  std::vector<std::uint32_t> lengths_;
  const base::Executor& executor_;
  std::shared_ptr<PublicView> view_;

  EpochId epoch_{};  ///< the open one; 0 before start
  bool is_open_ = false;
  bool finished_ = false;
  bool closes_ = false;        ///< of the open epoch, asked for every message
  bool sends_values_ = false;  ///< likewise
  Replay replay_;
  Learner learner_;
  double lambda_;                                             ///< of the open epoch's posterior
  std::vector<std::uint64_t> point_digests_;                  ///< of the open epoch, one per agent
  std::map<EpochId, std::vector<std::uint64_t>> stage_ends_;  ///< theirs, where stages ended
  std::optional<numeric::Points> pool_;
  EpochReport open_report_;
  std::map<AgentId, Message> taken_;  ///< of the open epoch
  std::vector<Record> unsent_;        ///< messages taken whose effects an error swallowed
  std::map<EpochId, Trim> trims_;
  RunSummary summary_;
};

}  // namespace duets::protocol
