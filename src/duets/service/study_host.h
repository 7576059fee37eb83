// One study on a server: the host around protocol::Coordinator.
//
// A worker thread owns the coordinator: it takes messages in the order in which they came, persists
// what follows, and only then shows it on the board. Heartbeats wait neither for it nor for the
// disk.
#pragma once

#include <grpcpp/support/status.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "duets/base/executor.h"
#include "duets/protocol/coordinator.h"
#include "duets/service/certificates.h"
#include "duets/service/lease_table.h"
#include "duets/service/log.h"
#include "duets/service/reply.h"
#include "duets/service/study_board.h"
#include "duets/service/study_journal.h"
#include "duets/service/worker.h"

namespace duets::service {

/// Hears what became of an operator's decision.
using DecisionDone = std::function<void(const grpc::Status&)>;
using SendDone = std::function<void(const grpc::Status&, v1::SendReply&&)>;

struct HostOptions {
  double lease_seconds = 60;
  double max_wait_seconds = 30;
  Log log;
};

/// Thread-safe.
class StudyHost {
 public:
  /// Returns at once; the worker brings the study back from its records first. Until then calls are
  /// answered UNAVAILABLE, and the study counts as running, whatever it was. The executor must
  /// outlive the host.
  StudyHost(StoredStudy stored, const random::StudySecret& secret, StudyJournal journal,
            HostOptions options, const base::Executor& executor);
  /// As shut_down().
  ~StudyHost();
  StudyHost(const StudyHost&) = delete;
  StudyHost& operator=(const StudyHost&) = delete;

  const Definition& definition() const { return definition_; }

  grpc::Status join(const v1::JoinRequest& request, const std::optional<Identity>& identity,
                    v1::JoinReply& reply);
  void fetch(const v1::FetchRequest& request, FetchDone done);
  void send(const v1::SendRequest& request, SendDone done);
  grpc::Status beat(const v1::BeatRequest& request, v1::BeatReply& reply);
  grpc::Status leave(const v1::LeaveRequest& request);

  v1::StudyStatus status() const;
  v1::StudyState state() const { return board_.state(); }
  /// Its records are read, or cannot be.
  bool is_ready() const { return board_.ready() || board_.state() == v1::STUDY_STATE_FAILED; }
  /// Persisted: nothing more happens in this study.
  void stop();
  /// Ends the open epoch with the agents that have uploaded; `done` hears when it is stored.
  /// INVALID_ARGUMENT when nobody has, or another epoch is open.
  void close_epoch(const v1::CloseEpochRequest& request, DecisionDone done);
  /// Goes on without the agent for good; `done` hears when it is stored. What it has uploaded for
  /// the open epoch counts; nothing more is taken, and no epoch waits for it. INVALID_ARGUMENT for
  /// the last agent, and when fewer than the quorum would be left. Once more: nothing.
  void retire_agent(const v1::RetireAgentRequest& request, DecisionDone done);
  /// Another quorum, deadline or both; `done` hears when it is stored. INVALID_ARGUMENT for a
  /// quorum above the number of agents that are not retired, and for a deadline without a quorum.
  void set_policy(const v1::SetPolicyRequest& request, DecisionDone done);
  /// False when the worker still has something to do after a second.
  bool becomes_idle() const;

  /// Answers everybody who waits, now and later, that the coordinator goes away; lets the worker
  /// end the job under way and drops the others.
  void shut_down();

  /// Called a few times a second: answers calls whose time is up, and closes an epoch that is over
  /// its deadline.
  void tick();

 private:
  grpc::Status grant_lease(std::optional<std::uint32_t> wanted, const Holder& holder,
                           const v1::JoinRequest& request, Grant& grant);
  void recover(const std::vector<base::Bytes>& records, v1::StudyState state);
  bool carry_out(protocol::Effects effects, const std::string& why);
  bool persist(const protocol::Effects& effects, const std::string& why);
  void publish(const protocol::Effects& effects, bool finished);
  void report(const protocol::Effects& effects);
  void report(const protocol::Refusal& refusal);
  grpc::Status take(const protocol::Message& message, const v1::Message& wire,
                    v1::SendReply& reply);
  grpc::Status close_with_uploads(std::uint32_t epoch, const std::string& why);
  grpc::Status close_without_retired();
  void decide(std::function<grpc::Status()> decision, DecisionDone done);
  grpc::Status retire_now(std::uint32_t agent);
  grpc::Status store_retired(std::uint32_t agent);
  grpc::Status set_policy_now(const v1::SetPolicyRequest& request);
  grpc::Status check_running() const;
  ClosePolicy policy() const;
  grpc::Status objection_to(const v1::SendRequest& request, protocol::Message& message);
  void fail(const std::string& problem);
  void check_presence(double now);
  std::optional<double> deadline_seconds() const;
  bool is_over_deadline(const v1::StudyStatus& status) const;
  std::optional<grpc::Status> not_serving() const;
  grpc::Status check_caller(const v1::Caller& caller);
  grpc::Status check_not_retired(std::uint32_t agent) const;
  void say(const std::string& message, LogLevel level = LogLevel::kInfo,
           const std::string& cause = {}) const;

  const Definition definition_;
  const random::StudySecret secret_;
  const HostOptions options_;
  const base::Executor& executor_;
  StudyJournal journal_;
  const double created_unix_;
  StudyBoard board_;

  mutable std::mutex policy_mutex_;
  ClosePolicy policy_;

  std::mutex join_mutex_;  ///< one at a time: the table is stored before it is used
  mutable std::mutex lease_mutex_;
  LeaseTable leases_;
  std::vector<v1::Presence> said_presence_;
  std::map<std::uint32_t, std::string> refused_;  ///< why the last message of an agent was refused

  std::mutex state_mutex_;  ///< an operator's stop is not overwritten by the worker's records
  std::atomic<bool> stopping_{false};
  std::atomic<bool> close_posted_{false};
  std::mutex pending_mutex_;
  std::set<std::uint32_t> pending_;  ///< agents whose message the worker has not taken yet
  /// When the open epoch was opened or brought back, on the steady clock: neither a clock that is
  /// set nor time without a coordinator brings a deadline closer.
  std::atomic<double> epoch_began_{0};
  std::mutex wake_mutex_;
  std::condition_variable wake_;  ///< ends a wait for the disk when the host goes away

  std::optional<protocol::Coordinator> coordinator_;  ///< the worker's
  std::map<std::uint32_t, EpochNote> notes_;          ///< the worker's
  Worker worker_;                                     // last: its jobs use the others
};

}  // namespace duets::service
