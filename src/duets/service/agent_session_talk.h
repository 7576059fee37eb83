// The communication of an agent with its coordinator: join, fetch, send, and keep the journal.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "duets/service/agent_session.h"
#include "duets/service/agent_session_join.h"
#include "duets/service/clock.h"
#include "duets/service/heartbeat.h"

namespace duets::service {

/// Used by one thread; stop() and pulse() may be used from any thread.
class AgentTalk {
 public:
  explicit AgentTalk(SessionOptions options);
  ~AgentTalk();
  AgentTalk(const AgentTalk&) = delete;
  AgentTalk& operator=(const AgentTalk&) = delete;

  std::uint32_t agent() const { return joined_.caller.agent(); }
  const Definition& definition() const { return joined_.definition; }
  const AgentBook& book() const { return *joined_.book; }
  Pulse& pulse() { return *pulse_; }
  const Pulse& pulse() const { return *pulse_; }

  /// Waits until the open epoch has a query without an answer. False when the study is over or
  /// stop() was called.
  bool wait_for_query();
  bool deliver();
  /// Writes an answer to the journal and applies it.
  void keep(JournalAnswer answer);

  bool over() const { return over_; }
  void stop() { stop_ = true; }

 private:
  enum class Patience : std::uint8_t { kOnce, kUntilDone };

  bool call(const std::string& what, const Link::Attempt& attempt, Patience patience,
            double extra_seconds);
  /// The coordinator may hold the call for up to `wait` seconds until there is a broadcast.
  bool fetch(Patience patience, double wait = 0);
  void wait_for_news();
  bool send(Patience patience);
  void take(const v1::FetchReply& reply);
  void take(const v1::SendReply& reply);
  void take_broadcast(const protocol::Message& broadcast);
  /// Handles a broadcast that the journal already has. Throws kDiverged when it differs.
  void retrace(const protocol::Message& broadcast);
  /// A text about the refusal. Throws when this session cannot continue.
  std::string judge(const protocol::Refusal& refusal);
  void judge(v1::StudyState state, const std::string& problem);
  void check_fence();
  bool is_behind() const;
  /// The coordinator has the open epoch's results from another machine: they are not in this
  /// journal. Its queries must not be asked again.
  bool is_taken() const { return taken_epoch_ == book().epoch() && book().has_open_slot(); }
  /// The coordinator's storage was set back: it repeats epochs that the journal has.
  bool is_retracing() const { return !joined_.ahead.empty(); }
  /// The repeated epoch did not end with this journal's results.
  bool is_left_out() const;
  /// The book's epoch was over when this agent joined: answers would be useless.
  bool has_ended() const { return book().epoch() < joined_.open_epoch; }
  bool has_query() const { return book().has_open_slot() && !is_taken() && !is_retracing(); }
  bool has_message() const { return book().agent().outstanding() && !is_left_out(); }
  [[noreturn]] void refuse_taken(const JournalAnswer& answer) const;
  void end(const std::string& why);
  bool is_sent() const { return sent_epoch_ == book().epoch(); }

  void write(const JournalEntry& entry);
  void show_counts();
  void say(const std::string& message, LogLevel level = LogLevel::kInfo);
  void say_waiting(const v1::Waiting& waiting);
  std::string name() const;

  SessionOptions options_;
  Joined joined_;
  std::shared_ptr<Pulse> pulse_;
  std::shared_ptr<HeartbeatThread> heartbeat_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> over_ = false;
  std::uint32_t sent_epoch_ = 0;     ///< the coordinator has this epoch's results
  std::uint32_t taken_epoch_ = 0;    ///< the coordinator had its results when this agent joined
  std::uint32_t polled_epoch_ = 0;   ///< the first long poll was in this epoch
  std::uint32_t waiting_epoch_ = 0;  ///< of the last log line about waiting
  Clock::time_point said_waiting_;
};

}  // namespace duets::service
