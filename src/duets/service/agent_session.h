// Takes part in a study on a coordinator, for programs that get queries and report answers:
//
//   service::AgentSession session(options);
//   while (auto query = session.next()) session.report(*query, measure(query->values));
//
// The session joins, keeps a journal, fetches broadcasts, sends uploads and heartbeats, reconnects,
// and resumes after a crash: with the same journal, no reported answer is lost or asked for again.
// Only one thread may use a session; stop() may be called from any thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duets/base/error.h"
#include "duets/protocol/agent.h"
#include "duets/service/definition.h"
#include "duets/service/link.h"
#include "duets/service/objective.h"

namespace duets::service {

struct SessionOptions {
  std::shared_ptr<Link> link;          ///< may be shared by the sessions of a process
  std::string study;                   ///< empty: the only one on the server
  std::optional<std::uint32_t> agent;  ///< empty: the certificate's, the journal's, or a free one
  std::filesystem::path journal;       ///< directory of journals; created if missing
  bool take_over = false;              ///< replace another machine that holds a live lease
  double wait_seconds = 20;            ///< of one long poll
  const std::atomic<bool>* stop = nullptr;  ///< ends a waiting constructor (kConnection)
};

/// The coordinator has lost broadcasts that this session has: its storage was replaced by an older
/// copy (kStorage). A new session with the same journal continues: it sends the lost results again.
class CoordinatorSetBack : public base::Error {
 public:
  explicit CoordinatorSetBack(const std::string& text) : Error(base::ErrorKind::kStorage, text) {}
};

/// The coordinator cannot be reached, and need not be: it has everything, as the journal says.
class NothingLeft : public base::Error {
 public:
  explicit NothingLeft(const std::string& message) : Error(base::ErrorKind::kConnection, message) {}
};

class AgentSession {
 public:
  /// Joins the study. Waits, and logs that it waits, while the coordinator cannot be reached; with
  /// a complete journal it tries once and throws NothingLeft. Throws kConnection when the
  /// coordinator refuses the connection or another machine holds the agent, kDiverged when the two
  /// sides do not compute the same bits or are not in the same study, kStorage for a damaged or
  /// locked journal.
  explicit AgentSession(SessionOptions options);
  /// Leaves the study if the coordinator can be reached immediately.
  ~AgentSession();
  AgentSession(const AgentSession&) = delete;
  AgentSession& operator=(const AgentSession&) = delete;

  std::uint32_t agent() const;
  const Definition& definition() const;

  /// The next query of the plan without an answer; waits for the next epoch when there is none.
  /// Nothing when the study is over or stop() was called: finished() tells which. Throws
  /// kConnection when another machine has taken over or an operator has retired the agent,
  /// kDiverged, kStorage, CoordinatorSetBack, and kProtocol when an operator stopped the study.
  std::optional<Query> next();
  /// All queries of the open epoch that have no answer yet, in slot order; waits like next().
  std::vector<Query> plan();

  /// Reports the answer to a query of the open epoch, in any order; it is in the journal when this
  /// returns. An answer for an epoch that has ended is kept in the journal and otherwise ignored.
  /// An infeasible answer counts as the study's infeasible_value; kObjective without one. Throws
  /// kInvalid for a value that cannot be used as a reward, or a second, different answer.
  void report(const Query& query, double value, double seconds = 0);
  void report_infeasible(const Query& query, const std::string& why, double seconds = 0);
  /// The query failed and will never have an answer: a hole.
  void report_failure(const Query& query, const Failure& failure, double seconds = 0);

  /// Tries once, without waiting, to send the results of the open epoch. True when the coordinator
  /// has them, false when there are unanswered queries or the coordinator cannot be reached.
  /// next() does the same and waits; this is for sessions that end between two epochs. Throws like
  /// next().
  bool deliver();

  /// True once the coordinator has the closing message, or the study has finished without it.
  bool finished() const;
  /// Makes next() return soon. May be called from any thread.
  void stop();

  /// A text for people: the session's activity, and which agents it waits for.
  std::string state() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// One answer of an agent's journal, for `duets study export --trials`.
struct JournalTrial {
  Query query;
  enum class Kind : std::uint8_t { kValue = 0, kInfeasible = 1, kHole = 2 } kind = Kind::kValue;
  double value = 0;    ///< user's units (infeasible: the study's infeasible_value)
  double seconds = 0;  ///< duration
  std::string text;    ///< why there is no value
};
constexpr auto enum_entries(JournalTrial::Kind /*tag*/) {
  using Kind = JournalTrial::Kind;
  return base::entries<Kind>(
      {{Kind::kValue, "value"}, {Kind::kInfeasible, "infeasible"}, {Kind::kHole, "failed"}});
}
struct JournalContents {
  std::string study;
  std::uint32_t agent = 0;
  base::Digest study_digest;
  std::vector<JournalTrial> trials;     ///< without those replaced by another machine's results
  std::vector<base::Bytes> broadcasts;  ///< protocol::encode, in order; they identify the run
};
/// Reads an agent's journal, also while the agent runs, or the answers of all agents of a local
/// study (answer_journal.h), without broadcasts. Throws kStorage.
JournalContents read_agent_journal(const std::filesystem::path& file);

}  // namespace duets::service
