// A study whose coordinator and agents are all in this process, for programs that get queries and
// report answers without a server:
//
//   service::LocalStudy study(definition, {.storage = "train.journal"}, executor);
//   while (auto query = study.ask()) study.tell(*query, service::Value{measure(query->values)});
//
// What was told is stored when tell() returns. After a crash the same constructor continues: no
// answer is lost, and only queries that were under way are asked for again. (A power failure may
// lose the answers of the last second; they are asked for again.) Any number of queries may be
// under way. Points, decisions and digests are those of a simulation and of a fleet with the same
// secret and the same answers, whatever their order. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duets/base/executor.h"
#include "duets/protocol/ensemble.h"
#include "duets/protocol/outlook.h"
#include "duets/service/agent_session.h"
#include "duets/service/answer_journal.h"
#include "duets/service/clock.h"
#include "duets/service/definition.h"
#include "duets/service/export_file.h"
#include "duets/service/objective.h"
#include "duets/service/study_storage.h"

namespace duets::service {

struct LocalOptions {
  /// Directory: duets.db and secrets/ as on a server, and answers.db. Created if missing; for this
  /// study alone.
  std::filesystem::path storage;
  std::string secret_text;  ///< of a new study: 64 hexadecimal digits; empty: a new secret
  /// Queries of each agent. A study that is there is extended to this many once it is over; 0: the
  /// definition's horizon.
  std::uint32_t horizon = 0;
  /// The definition's horizon is for a new study only: one that is there keeps its own.
  bool keeps_horizon = false;
  /// The study ends early with the first epoch after which, as after the one before, posterior
  /// samples expect no point to be better by this much, in the objective's units; 0: never. Needs
  /// cut = "decision".
  double until_gain = 0;
  std::string_view way_out =
      "use the old study file or another directory";  ///< if another is there
  /// Called with every event of the protocol, once its records are stored. May be empty.
  std::function<void(const protocol::Event&)> event;
  /// Called when the disk cannot be written now; true: try again. Empty: never.
  std::function<bool(const storage::StorageError&)> try_again;
};

/// kInvalid, naming the field, unless a new study can begin so; for callers that remove an old one
/// first.
void require_new_study(const Definition& definition, const LocalOptions& options);

class LocalStudy {
 public:
  /// A query with its answer.
  struct Told {
    Query query;
    Answer answer;  ///< not Interrupted
    double seconds = 0;
  };

  /// Begins the study, or continues it: then only the program, its timeout and its retries may
  /// differ, and the horizon may be larger: the study is extended when it is over. kInvalid, naming
  /// the fields, when another study is there, and for a smaller horizon; kStorage for a damaged or
  /// locked storage; kDiverged when the answers belong to another run. The executor must outlive
  /// the study.
  LocalStudy(Definition definition, LocalOptions options, const base::Executor& executor);
  LocalStudy(const LocalStudy&) = delete;
  LocalStudy& operator=(const LocalStudy&) = delete;

  /// With the horizons and early ends so far.
  const Definition& definition() const { return definition_; }
  const random::StudySecret& secret() const { return ensemble_->secret(); }
  bool finished() const { return ensemble_->finished(); }
  /// Queries of each agent by the end, those of an extension that waits for it included.
  std::uint32_t num_queries_each() const {
    return std::max(wanted_, protocol::num_queries_each(*definition_.study));
  }
  /// The open epoch, from 1; the last one when the study is over.
  std::uint32_t epoch() const { return base::value(ensemble_->coordinator().epoch()); }
  const protocol::RunSummary& summary() const { return ensemble_->coordinator().summary(); }

  /// The next query that has no answer and is not under way, of the agent with most of them; it is
  /// under way then. Nothing when the study is over or all that are left are under way.
  std::optional<Query> ask();
  /// The same for one agent.
  std::optional<Query> ask(std::uint32_t agent);
  /// The query is not under way any more and will be asked for again.
  void give_back(const Query& query);

  /// Answers of the open epoch, asked for or not, in any order; stored together. The last ones of
  /// an epoch end it. kInvalid for a value that cannot be a reward, a query that the open epoch
  /// does not have, and a second answer; kObjective for an infeasible answer without
  /// infeasible_value: none of these changes anything. After any other error the object is of no
  /// use, but a new one continues.
  void tell(std::span<const Told> answers);
  void tell(const Query& query, const Answer& answer, double seconds = 0);

  /// Ends the study early, now: the queries of the open epoch that have no answer become holes, and
  /// there is a recommendation. kInvalid while no query has a reward. Nothing when it is over.
  void end();
  /// A query has been answered with something else than a failure.
  bool has_reward() const { return has_reward_; }

  /// With until_gain: how much better some point was expected to be when the last epoch closed;
  /// nothing before, without a reward, and for an epoch that ended a study anyway.
  std::optional<double> expected_gain() const { return expected_gain_; }

  /// All answers, in the order in which they were told.
  const std::vector<JournalTrial>& trials() const { return trials_; }
  /// Definition and records so far.
  ExportedStudy exported() const { return {definition_, records_}; }

 private:
  enum class Slot : std::uint8_t { kOpen, kUnderWay, kAnswered };
  /// The open epoch of one agent.
  struct Desk {
    std::vector<Slot> slots;
    std::size_t num_open = 0;
  };

  void open_storage(const std::string& secret_text);
  std::uint32_t wanted_horizon(const protocol::Study& stored, std::uint32_t given) const;
  void begin();
  void read_answers();
  void set_study(const protocol::Study& study);
  void begin_epoch();
  void recall(protocol::Agent& agent);
  void settle();
  void go_on();
  void leave_open_queries();
  bool expects_enough(const protocol::EpochClosed& closed);
  std::optional<double> gain_after(std::uint32_t epoch) const;
  protocol::Measured measured(base::EpochId last) const;
  void persist(const protocol::Effects& effects);
  void persist_all(const protocol::Effects& effects);
  void store(std::span<const AgentAnswer> answers, bool ends_epoch);
  Slot& slot_of(const Query& query);
  template <class Write>
  void writing(const Write& write);

  Definition definition_;
  const LocalOptions options_;
  const base::Executor& executor_;
  std::uint32_t wanted_ = 0;  ///< horizon to extend the study to; 0: none
  bool ends_ = false;         ///< the definition has changed: the run begins again with it
  bool has_reward_ = false;
  std::optional<double> expected_gain_;
  std::unique_ptr<storage::Store> store_;
  std::optional<StudyJournal> journal_;
  std::optional<AnswerJournal> answers_;
  std::map<std::uint32_t, EpochNote> notes_;
  std::vector<base::Bytes> records_;
  std::vector<JournalTrial> trials_;
  /// What the file had at the start, by epoch and agent.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<JournalAnswer>> known_;
  std::uint32_t desks_epoch_ = 0;
  std::vector<Desk> desks_;             ///< by agent
  std::uint64_t num_unanswered_ = 0;    ///< slots of all desks
  std::vector<protocol::Record> held_;  ///< messages taken, stored with what they lead to
  Clock::time_point synced_ = Clock::now();
  std::optional<protocol::Ensemble> ensemble_;
};

}  // namespace duets::service
