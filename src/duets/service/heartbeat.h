// The heartbeats of all sessions of a process, on a separate thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "duets/service/clock.h"
#include "duets/service/link.h"
#include "duets/service/waiting_thread.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// The state that a session and the heartbeat thread share. Neither waits for the other: nothing
/// here computes, writes or calls. Thread-safe.
class Pulse {
 public:
  Pulse(v1::Caller caller, double lease_seconds);

  const v1::Caller& caller() const { return caller_; }
  double lease_seconds() const { return lease_seconds_; }

  // For the session.
  void set_counts(std::uint32_t epoch, std::uint32_t answered, std::uint32_t holes);
  /// A query has started.
  void begin_query();
  /// Duration of the current query so far; 0 when there is none.
  double query_seconds() const;
  /// The query has its answer; 0 seconds: not measured.
  void end_query(double seconds);
  void set_problem(const std::string& problem);
  /// For what the pulse itself need not know: a field that the next beat carries.
  template <class Edit>
  void change(const Edit& edit) {
    const std::lock_guard lock(mutex_);
    edit(progress_);
  }
  void set_state(const std::string& state);
  std::string state() const;
  bool fenced() const;
  /// From the coordinator's last reply to a heartbeat.
  v1::StudyState study_state() const;
  std::uint32_t coordinator_epoch() const;  ///< 0: unknown

  // For the heartbeat thread.
  v1::Progress progress() const;
  void take(const v1::BeatReply& reply);

 private:
  const v1::Caller caller_;
  const double lease_seconds_;
  mutable std::mutex mutex_;
  v1::Progress progress_;
  std::optional<Clock::time_point> query_began_;
  std::deque<double> seconds_;  ///< of the last answers
  std::string state_;
  bool fenced_ = false;
  v1::StudyState study_state_ = v1::STUDY_STATE_UNSPECIFIED;
  std::uint32_t coordinator_epoch_ = 0;
};

/// Sends heartbeats for all pulses, with all agents of a study in one call, four times per lease
/// and soon after there is news. A failed beat is not repeated before the next one is due. The end
/// cancels a beat in progress.
class HeartbeatThread {
 public:
  /// The heartbeat thread of a link, started by the first session that asks.
  static std::shared_ptr<HeartbeatThread> of(const std::shared_ptr<Link>& link);

  explicit HeartbeatThread(std::shared_ptr<Link> link);

  void add(std::shared_ptr<Pulse> pulse);
  void remove(const std::shared_ptr<Pulse>& pulse);
  /// There is news that people or deadlines wait for: beats at once, or a second after the last
  /// beat.
  void hurry();

 private:
  using Pulses = std::vector<std::shared_ptr<Pulse>>;
  void run();
  void wait_until_due(std::unique_lock<std::mutex>& lock, Clock::time_point begin, double interval);
  void beat(const Pulses& pulses, double limit);

  std::shared_ptr<Link> link_;
  Pulses pulses_;
  bool hurry_ = false;
  WaitingThread thread_;
};

}  // namespace duets::service
