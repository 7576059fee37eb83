#include "duets/service/agent_session_talk.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/service/clock.h"
#include "duets/service/link_watch.h"
#include "duets/service/status_code.h"
#include "duets/service/study_status.h"
#include "duets/service/wire.h"
#include "duets/v1/duets.grpc.pb.h"

namespace duets::service {
namespace {

using base::Error;
using base::ErrorKind;
constexpr double kLeaveSeconds = 1;
/// The first long poll of an epoch is short: if it comes back empty, the agent can say who is late.
constexpr double kFirstPoll = 2;
/// A long poll that comes back empty sooner than this is not repeated immediately.
constexpr double kShortestPoll = 0.1;
constexpr double kWritePause = 1;

}  // namespace

AgentTalk::AgentTalk(SessionOptions options)
    : options_(std::move(options)),
      joined_(join_study(options_)),
      pulse_(std::make_shared<Pulse>(joined_.caller, joined_.lease_seconds)),
      heartbeat_(HeartbeatThread::of(options_.link)) {
  if (joined_.uploaded) taken_epoch_ = joined_.open_epoch;
  say(fmt::format("joined study '{}' in epoch {}, {} of {} answered", definition().study->name,
                  book().epoch(), book().num_answered(),
                  base::count_text(book().length(), "query", "queries")));
  if (is_retracing()) {
    say(
        fmt::format("the coordinator's storage was set back to epoch {}; sending the lost results "
                    "again",
                    book().epoch()));
  }
  show_counts();
  heartbeat_->add(pulse_);
}

AgentTalk::~AgentTalk() {
  heartbeat_->remove(pulse_);
  heartbeat_.reset();
  v1::LeaveRequest request;
  *request.mutable_caller() = joined_.caller;
  v1::LeaveReply reply;
  // If this call does not get through, the lease expires.
  options_.link->try_once(
      [&](grpc::ClientContext& context) {
        return v1::Agents::Stub(options_.link->channel()).Leave(&context, request, &reply);
      },
      kUnstopped, kLeaveSeconds);
}

bool AgentTalk::wait_for_query() {
  bool looked = false;
  while (!stop_ && !over_) {
    check_fence();
    if (is_taken() && definition().study->data == protocol::DataPolicy::kSurviving) {
      throw Error(ErrorKind::kProtocol,
                  fmt::format("{}: epoch {} was answered on another machine; with data = "
                              "\"surviving\" only that machine's journal can continue",
                              name(), book().epoch()));
    }
    if (is_taken() && book().agent().is_last()) {
      end("the coordinator has all results from another machine");
    } else if (!has_ended() && has_query()) {
      // The epoch may have ended without this agent. Check once: if the coordinator is away, go on.
      if (looked || !is_behind()) return true;
      fetch(Patience::kOnce);
      looked = true;
    } else if (!has_ended() && has_message() && !is_sent()) {
      send(Patience::kUntilDone);
    } else {
      wait_for_news();
    }
  }
  return false;
}

void AgentTalk::wait_for_news() {
  const Clock::time_point begin = Clock::now();
  const std::uint32_t before = book().num_broadcasts();
  const bool first = polled_epoch_ != book().epoch();
  polled_epoch_ = book().epoch();
  fetch(Patience::kUntilDone,
        first ? std::min(kFirstPoll, options_.wait_seconds) : options_.wait_seconds);
  const bool news = over_ || book().num_broadcasts() != before;
  if (!news && seconds_since(begin) < kShortestPoll) sleep_unless(stop_, kShortestPoll);
}

bool AgentTalk::deliver() {
  check_fence();
  const bool waits = !book().has_open_slot() && !book().agent().outstanding();
  if (!over_ && (waits || has_ended())) fetch(Patience::kOnce);
  if (over_ || is_taken()) return true;
  if (has_ended() || book().has_open_slot() || !has_message()) return false;
  return is_sent() || send(Patience::kOnce);
}

void AgentTalk::keep(JournalAnswer answer) {
  if (answer.seconds <= 0) answer.seconds = pulse_->query_seconds();
  if (!book().is_known(answer)) {
    if (is_taken() && answer.epoch == book().epoch()) refuse_taken(answer);
    // The plan's own point, in case the caller has changed its copy.
    if (answer.epoch == book().epoch()) answer.latent = book().query(answer.slot).latent;
    write(answer);
    joined_.book->apply(answer);
    show_counts();
  }
  pulse_->end_query(answer.seconds);
  // Send the duration of the first query soon: deadlines are computed from it.
  if (book().num_answered() == 1) heartbeat_->hurry();
}

bool AgentTalk::call(const std::string& what, const Link::Attempt& attempt, Patience patience,
                     double extra_seconds) {
  const std::string text = fmt::format("{}: {}", name(), what);
  try {
    if (patience == Patience::kUntilDone) {
      return options_.link->call(text, attempt, stop_, extra_seconds);
    }
    const grpc::Status status = options_.link->try_once(attempt, kUnstopped, kOnceSeconds);
    if (!status.ok() && !is_transient(status)) throw error_of(status, text);
    return status.ok();
  } catch (const Error& error) {
    // No call uses this side's storage, so the error is about the coordinator's.
    if (error.kind() == ErrorKind::kStorage) throw CoordinatorSetBack(error.what());
    throw;
  }
}

bool AgentTalk::fetch(Patience patience, double wait) {
  v1::FetchRequest request;
  *request.mutable_caller() = joined_.caller;
  request.set_known(book().num_broadcasts());
  request.set_known_digest(book().broadcasts_digest());
  request.set_wait_seconds(wait);
  v1::FetchReply reply;
  const auto attempt = [&](grpc::ClientContext& context) {
    grpc::Status status =
        v1::Agents::Stub(options_.link->channel()).Fetch(&context, request, &reply);
    // The next attempt only checks whether the coordinator is back, without a long poll.
    request.set_wait_seconds(0);
    return status;
  };
  if (!call("fetching broadcasts", attempt, patience, wait)) return false;
  take(reply);
  return true;
}

bool AgentTalk::send(Patience patience) {
  v1::SendRequest request;
  *request.mutable_caller() = joined_.caller;
  *request.mutable_message() = to_wire(*book().agent().outstanding());
  v1::SendReply reply;
  const auto attempt = [&](grpc::ClientContext& context) {
    return v1::Agents::Stub(options_.link->channel()).Send(&context, request, &reply);
  };
  const std::string what = fmt::format("sending the results of epoch {}", book().epoch());
  if (!call(what, attempt, patience, 0)) return false;
  take(reply);
  return true;
}

void AgentTalk::refuse_taken(const JournalAnswer& answer) const {
  base::refuse("trial", fmt::format("{}-{}-{}", agent(), answer.epoch, answer.slot),
               "the coordinator has the results of this epoch from another machine");
}

// A heartbeat only says that the lease is over; any other call is refused with the reason.
void AgentTalk::check_fence() {
  if (!pulse_->fenced()) return;
  // No answer says nothing: a coordinator that is away, or still reading its records, is asked
  // again.
  if (!fetch(Patience::kOnce)) return;
  throw Error(ErrorKind::kConnection,
              fmt::format("{}: another machine has taken over this agent, or an operator has "
                          "retired it",
                          name()));
}

bool AgentTalk::is_behind() const {
  const v1::StudyState state = pulse_->study_state();
  return pulse_->coordinator_epoch() > book().epoch() ||
         (state != v1::STUDY_STATE_UNSPECIFIED && state != v1::STUDY_STATE_RUNNING);
}

void AgentTalk::write(const JournalEntry& entry) {
  Clock::time_point said;
  for (bool first = true;; first = false) {
    try {
      joined_.journal.append(entry);
      return;
    } catch (const storage::StorageError& error) {
      // An answer may have taken hours: wait while the disk is full.
      if (error.cause() != storage::StorageError::Cause::kUnwritable || stop_) throw;
      if (first || seconds_since(said) >= kRepeatSeconds) {
        said = Clock::now();
        say(fmt::format("{}; trying again", error.what()), LogLevel::kWarning);
      }
    }
    sleep_unless(stop_, kWritePause);
  }
}

void AgentTalk::show_counts() {
  if (is_taken()) {
    pulse_->set_counts(book().epoch(), book().length(), 0);
    pulse_->set_state(fmt::format("epoch {}: answered by another machine", book().epoch()));
    say(
        fmt::format("the coordinator has the results of epoch {} from another machine; "
                    "waiting for the next epoch",
                    book().epoch()));
    return;
  }
  pulse_->set_counts(book().epoch(), book().num_answered(), book().num_holes());
  pulse_->set_state(fmt::format("epoch {}: {} of {} answered", book().epoch(),
                                book().num_answered(),
                                base::count_text(book().length(), "query", "queries")));
}

void AgentTalk::say(const std::string& message, LogLevel level) {
  options_.link->say(
      {.message = message, .level = level, .study = definition().study->name, .agent = agent()});
}

void AgentTalk::say_waiting(const v1::Waiting& waiting) {
  if (waiting.num_agents() == 0) return;
  const std::string text = waiting_text(waiting);
  pulse_->set_state(text);
  if (waiting_epoch_ == waiting.epoch() && seconds_since(said_waiting_) < kRepeatSeconds) return;
  waiting_epoch_ = waiting.epoch();
  said_waiting_ = Clock::now();
  say(text);
}

std::string AgentTalk::name() const { return fmt::format("agent {}", agent()); }

}  // namespace duets::service
