// The public state of a study, readable at any moment while its worker computes.
//
// The worker writes what it has persisted; calls read. Waiting Fetch calls are held here until a
// broadcast comes or they time out.
#pragma once

#include <grpcpp/support/status.h>

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "duets/protocol/coordinator.h"
#include "duets/service/definition.h"
#include "duets/service/lease_table.h"
#include "duets/service/study_journal.h"

namespace duets::service {

/// Called once, from any thread, without holding a lock.
using FetchDone = std::function<void(const grpc::Status&, v1::FetchReply&&)>;

/// Thread-safe.
class StudyBoard {
 public:
  explicit StudyBoard(const Definition& definition);

  // --- the worker writes ---
  /// A persisted record: adds its broadcasts and, for a closed epoch, its line.
  void show(const protocol::Record& record);
  /// The coordinator's current state. Answers waiting calls that can be answered. A study that an
  /// operator stopped stays stopped.
  void show(const protocol::Coordinator& coordinator, const random::StudySecret& secret,
            v1::StudyState state);
  void show_policy(const ClosePolicy& policy);
  /// Increasing.
  void show_retired(std::vector<std::uint32_t> agents);
  void show_note(std::uint32_t epoch, const EpochNote& note);
  void show_traffic(const v1::Traffic& traffic);
  void show_state(v1::StudyState state);
  /// Nobody serves the study any more.
  void show_end(const ServiceNote& note);
  /// Why the study makes no progress; empty: no problem.
  void show_problem(const std::string& problem);

  // --- calls read ---
  v1::StudyState state() const;
  std::string problem() const;
  std::uint32_t epoch() const;
  /// False until the worker has restored the study after a start.
  bool ready() const;
  std::uint32_t num_broadcasts() const;
  v1::Traffic traffic() const;
  /// The message of this agent for the open epoch was accepted.
  bool uploaded(std::uint32_t agent) const;
  /// Enough agents that are not retired have uploaded, and at least one.
  bool has_quorum() const;
  /// Number of epochs that closed with this agent.
  std::uint32_t epochs_taken_part(std::uint32_t agent) const;
  /// Without agents, and without fields that the board does not have: deadline, guarantee,
  /// creation.
  v1::StudyStatus status(double now_unix) const;
  /// Adds one line per agent: its lease at `now`, and what the board has.
  void add_agents(const LeaseTable& leases, double now, v1::StudyStatus& status) const;
  v1::Waiting waiting(double now_unix) const;

  /// Answers at once when there are broadcasts beyond `known` or the study does not run; otherwise
  /// when one comes, or at `until`. An agent waits with one call: a new one answers the earlier
  /// one. A `known_digest` that differs from ours: FAILED_PRECONDITION; more known than there are:
  /// DATA_LOSS.
  void fetch(std::uint32_t agent, const v1::FetchRequest& request, double now, double until,
             FetchDone done);
  /// Answers the waiting call of an agent at once, so that it asks again.
  void release(std::uint32_t agent);
  /// Answers the calls that have timed out.
  void expire(double now, double now_unix);
  /// Answers all waiting calls, and all later ones, with `status`.
  void close(const grpc::Status& status);

  void count_call();
  void count_upload(const protocol::Message& message);

 private:
  struct Broadcast {
    v1::Message message;
    bool closing = false;
  };
  struct Waiter {
    std::uint32_t agent = 0;
    std::uint32_t known = 0;
    double until = 0;
    FetchDone done;
  };
  struct Ready {
    FetchDone done;
    v1::FetchReply reply;
  };
  v1::FetchReply reply_from(std::uint32_t agent, std::uint32_t known, double now_unix);
  void count_payload(const v1::Message& message, bool closing, bool down);
  void count_broadcasts(std::uint32_t agent, std::uint32_t known, std::uint32_t told);
  v1::Waiting waiting_locked(double now_unix) const;
  bool has_uploaded(std::uint32_t agent) const;
  std::uint32_t num_taken_part(std::uint32_t agent) const;
  void update_expected();
  std::vector<Ready> take_ready(double now, double now_unix);
  static void answer(std::vector<Ready> ready);

  const std::shared_ptr<const protocol::Study> study_;
  const std::uint32_t num_agents_;
  const protocol::RewardScale scale_;
  mutable std::mutex mutex_;
  v1::StudyStatus status_;  ///< without agents
  bool ready_ = false;
  ClosePolicy policy_;
  std::vector<std::uint32_t> missing_;  ///< agents without an upload for the open epoch
  std::vector<std::uint32_t> retired_;
  std::vector<Broadcast> broadcasts_;
  std::vector<std::uint64_t> chain_{0};          ///< after 0, 1, ... broadcasts
  std::map<std::uint32_t, std::uint32_t> told_;  ///< number of counted broadcasts, by agent
  std::map<std::uint32_t, EpochNote> notes_;
  std::optional<ServiceNote> end_;
  std::vector<Waiter> waiters_;
  std::optional<grpc::Status> closed_;
};

/// Seconds of a steady clock, and seconds since 1970.
double steady_seconds();
double unix_seconds();

}  // namespace duets::service
