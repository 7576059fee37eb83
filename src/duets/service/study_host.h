// Hosts one study on a server: runs its protocol::Coordinator.
//
// A worker thread owns the coordinator: it handles messages in order of arrival, persists the
// effects, and only then shows them on the board. Heartbeats wait neither for it nor for the disk.
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

/// Receives the result of an operator's decision.
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
  /// Returns at once; the worker first restores the study from its records. Until then calls are
  /// answered UNAVAILABLE, and the study counts as running, whatever its state was. The executor
  /// must outlive the host.
  StudyHost(StoredStudy stored, const random::StudySecret& secret, StudyJournal journal,
            HostOptions options, const base::Executor& executor);
  /// Like shut_down().
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
  /// Its records were read, or cannot be.
  bool is_ready() const { return board_.ready() || board_.state() == v1::STUDY_STATE_FAILED; }
  /// Stops the study for good. Persisted.
  void stop();
  /// Ends the open epoch with the agents that have uploaded; `done` is called when it is stored.
  /// INVALID_ARGUMENT when there are no uploads, or another epoch is open.
  void close_epoch(const v1::CloseEpochRequest& request, DecisionDone done);
  /// Continues without the agent from now on; `done` is called when it is stored. Its upload for
  /// the open epoch counts; later ones are refused, and no epoch waits for it. INVALID_ARGUMENT for
  /// the last agent, and when fewer than the quorum would be left. A second time it does nothing.
  void retire_agent(const v1::RetireAgentRequest& request, DecisionDone done);
  /// Changes quorum, deadline or both; `done` is called when it is stored. INVALID_ARGUMENT for a
  /// quorum above the number of agents that are not retired, and for a deadline without a quorum.
  void set_policy(const v1::SetPolicyRequest& request, DecisionDone done);
  /// False when the worker is still busy after a second.
  bool becomes_idle() const;

  /// Stores that a study that is not over is served from now on, or how that ended; from its end on
  /// the status shows it. The run does not depend on it: an error is logged.
  void note_service(const ServiceNote& note);

  /// Answers all waiting and later calls with going_away(); lets the worker finish the current job
  /// and drops the others.
  void shut_down();

  /// Called a few times per second: answers calls that have timed out, and closes an epoch that is
  /// past its deadline.
  void tick();

 private:
  grpc::Status grant_lease(std::optional<std::uint32_t> wanted, const Holder& holder,
                           const v1::JoinRequest& request, Grant& grant);
  void recover(const std::vector<base::Bytes>& records, v1::StudyState state);
  bool carry_out(const protocol::Effects& effects, const std::string& why);
  bool persist(const protocol::Effects& effects, const std::string& why);
  void publish(const protocol::Effects& effects, bool finished);
  void report(const protocol::Effects& effects);
  void report(const protocol::Refusal& refusal);
  grpc::Status take(const protocol::Message& message, v1::SendReply& reply);
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
  const bool was_over_;  ///< before this host; the board knows only when the records are read
  StudyBoard board_;

  mutable std::mutex policy_mutex_;
  ClosePolicy policy_;

  std::mutex join_mutex_;  ///< one join at a time: the table is stored before it is used
  mutable std::mutex lease_mutex_;
  LeaseTable leases_;
  std::vector<v1::Presence> said_presence_;
  std::map<std::uint32_t, std::string> refused_;  ///< why the last message of an agent was refused

  std::mutex state_mutex_;  ///< keeps the worker's records from overwriting an operator's stop
  std::atomic<bool> stopping_{false};
  std::atomic<bool> close_posted_{false};
  std::mutex pending_mutex_;
  std::set<std::uint32_t> pending_;  ///< agents whose message the worker has not handled yet
  /// When the open epoch was opened or restored, on the steady clock: neither changes of the system
  /// clock nor time without a coordinator bring a deadline closer.
  std::atomic<double> epoch_began_{0};
  std::mutex wake_mutex_;
  std::condition_variable wake_;  ///< ends a wait for the disk when the host shuts down

  std::optional<protocol::Coordinator> coordinator_;  ///< the worker's
  std::map<std::uint32_t, EpochNote> notes_;          ///< the worker's
  Worker worker_;                                     // last: its jobs use the others
};

}  // namespace duets::service
