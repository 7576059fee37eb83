#include "duets/service/study_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/protocol/guarantee.h"
#include "duets/service/status_code.h"
#include "duets/service/wire.h"
#include "duets/service/wire_text.h"

namespace duets::service {
namespace {

using grpc::StatusCode;
using storage::StorageError;

/// Time between two attempts to write to a full disk.
constexpr auto kDiskRetry = std::chrono::seconds(1);
constexpr auto kMoment = std::chrono::milliseconds(50);

/// The author of an upload or a closing message.
std::uint32_t agent_of(const protocol::Message& message) {
  const auto* upload = std::get_if<protocol::Upload>(&message);
  return base::value(upload != nullptr ? upload->agent
                                       : std::get<protocol::Closing>(message).agent);
}

std::string upload_name(const protocol::Message& message) {
  if (const auto* upload = std::get_if<protocol::Upload>(&message)) {
    return fmt::format("upload of agent {}, epoch {}", agent_of(message),
                       base::value(upload->epoch));
  }
  return fmt::format("closing message of agent {}", agent_of(message));
}

}  // namespace

grpc::Status going_away() { return {StatusCode::UNAVAILABLE, "the coordinator is shutting down"}; }

StudyHost::StudyHost(StoredStudy stored, const random::StudySecret& secret, StudyJournal journal,
                     HostOptions options, const base::Executor& executor)
    : definition_(std::move(stored.definition)),
      secret_(secret),
      options_(std::move(options)),
      executor_(executor),
      journal_(std::move(journal)),
      created_unix_(stored.created_unix),
      was_over_(stored.state == v1::STUDY_STATE_STOPPED ||
                stored.state == v1::STUDY_STATE_FINISHED),
      board_(definition_),
      policy_(stored.policy),
      leases_(definition_.study->agents, options_.lease_seconds),
      said_presence_(definition_.study->agents, v1::PRESENCE_NEVER_SEEN),
      notes_(std::move(stored.epochs)) {
  if (!stored.leases.empty()) leases_.load(stored.leases, steady_seconds());
  board_.show_policy(policy_);
  board_.show_retired(leases_.retired());
  board_.show_traffic(stored.traffic);
  for (const auto& [epoch, note] : notes_) board_.show_note(epoch, note);
  worker_.post([this, records = std::move(stored.records), state = stored.state] {
    recover(records, state);
  });
}

StudyHost::~StudyHost() { shut_down(); }

bool StudyHost::becomes_idle() const {
  for (int i = 0; i < 20 && worker_.busy(); ++i) std::this_thread::sleep_for(kMoment);
  return !worker_.busy();
}

void StudyHost::note_service(const ServiceNote& note) {
  if (was_over_ || board_.state() != v1::STUDY_STATE_RUNNING) return;
  try {
    journal_.set_service(note);
  } catch (const base::Error& error) {
    say(fmt::format("cannot store \"{}\": {}", note.how, error.what()), LogLevel::kWarning);
  }
  if (note.how != ServiceNote::kServing) board_.show_end(note);
}

void StudyHost::shut_down() {
  {
    const std::lock_guard lock(wake_mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  board_.close(going_away());
  worker_.finish();
}

void StudyHost::say(const std::string& message, LogLevel level, const std::string& cause) const {
  if (!options_.log) return;
  options_.log(
      {.message = message, .level = level, .cause = cause, .study = definition_.study->name});
}

void StudyHost::fail(const std::string& problem) {
  say("cannot continue: " + problem, LogLevel::kError);
  const std::lock_guard lock(state_mutex_);
  if (board_.state() == v1::STUDY_STATE_STOPPED) return;
  try {
    journal_.set_failed(clean_text(problem));
  } catch (const base::Error& error) {
    say(fmt::format("the failure cannot be stored: {}", error.what()), LogLevel::kError);
  }
  board_.show_problem(problem);
  board_.show_state(v1::STUDY_STATE_FAILED);
}

void StudyHost::recover(const std::vector<base::Bytes>& records, v1::StudyState state) {
  try {
    coordinator_.emplace(
        protocol::Coordinator::replay(definition_.study, secret_, executor_, records));
    for (const base::Bytes& record : records) board_.show(protocol::decode_record(record));
    if (!records.empty() && !coordinator_->finished()) {
      say(fmt::format("restored in epoch {}, {}", base::value(coordinator_->epoch()),
                      base::count_text(records.size(), "record", "records")));
    }
    // A failed study may continue with another release, or another disk.
    if (state == v1::STUDY_STATE_FAILED) {
      state = v1::STUDY_STATE_RUNNING;
      journal_.set_state(state);
    }
    const bool runs = state == v1::STUDY_STATE_RUNNING;
    epoch_began_ = steady_seconds();
    if (!carry_out(runs ? coordinator_->resume() : protocol::Effects{}, "complete")) return;
    if (runs && !close_without_retired().ok() &&
        (stopping_ || board_.state() == v1::STUDY_STATE_FAILED)) {
      return;
    }
    board_.show(*coordinator_, secret_,
                runs && coordinator_->finished() ? v1::STUDY_STATE_FINISHED : state);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

// Persist, then show: nothing is sent that is not on disk.
bool StudyHost::carry_out(const protocol::Effects& effects, const std::string& why) {
  if (!effects.records.empty()) {
    if (!persist(effects, why)) return false;
    publish(effects, coordinator_->finished());
  }
  report(effects);
  return true;
}

bool StudyHost::persist(const protocol::Effects& effects, const std::string& why) {
  note_epochs(effects, definition_.study->agents, unix_seconds(), why, notes_);
  bool said = false;
  while (true) {
    try {
      const std::lock_guard lock(state_mutex_);
      const v1::StudyState state = board_.state() == v1::STUDY_STATE_STOPPED
                                       ? v1::STUDY_STATE_STOPPED
                                   : coordinator_->finished() ? v1::STUDY_STATE_FINISHED
                                                              : v1::STUDY_STATE_RUNNING;
      journal_.append(effects.records, notes_, board_.traffic(), state);
      if (said) {
        say("the storage can be written again");
        board_.show_problem("");
      }
      return true;
    } catch (const StorageError& error) {
      if (error.cause() != StorageError::Cause::kUnwritable) {
        fail(error.what());
        return false;
      }
      say(fmt::format("{}; trying again every second", error.what()), LogLevel::kWarning, "disk");
      said = true;
      board_.show_problem(error.what());
    }
    std::unique_lock lock(wake_mutex_);
    if (wake_.wait_for(lock, kDiskRetry, [this] { return stopping_.load(); })) return false;
  }
}

void StudyHost::publish(const protocol::Effects& effects, bool finished) {
  for (const protocol::Record& record : effects.records) board_.show(record);
  for (const auto& [epoch, note] : notes_) board_.show_note(epoch, note);
  board_.show(*coordinator_, secret_,
              finished ? v1::STUDY_STATE_FINISHED : v1::STUDY_STATE_RUNNING);
}

void StudyHost::report(const protocol::Effects& effects) {
  for (const protocol::Event& event : effects.events) {
    if (const auto* began = std::get_if<protocol::EpochBegan>(&event)) {
      close_posted_ = false;
      epoch_began_ = steady_seconds();
      say(fmt::format("epoch {} of {}: {} per agent", base::value(began->epoch),
                      protocol::lengths(*definition_.study).size(),
                      base::count_text(began->length, "query", "queries")));
    } else if (const auto* ended = std::get_if<protocol::EpochEnded>(&event)) {
      const v1::StudyStatus status = board_.status(unix_seconds());
      if (status.closed_epochs().empty()) continue;
      const v1::EpochStatus& epoch = *status.closed_epochs().rbegin();
      say(fmt::format(
          "epoch {} closed ({}) with {} of {}, {}{}", base::value(ended->epoch), epoch.why(),
          epoch.participants(), base::count_text(status.agents(), "agent", "agents"),
          base::count_text(epoch.holes(), "hole", "holes"),
          epoch.excluded().empty()
              ? ""
              : fmt::format("; without {} {}", epoch.excluded_size() == 1 ? "agent" : "agents",
                            fmt::join(epoch.excluded(), ", "))));
    } else if (const auto* refused = std::get_if<protocol::MessageRefused>(&event)) {
      report(refused->refusal);
    } else if (std::holds_alternative<protocol::StudyFinished>(event)) {
      say("finished");
    }
  }
}

// Stale results are late, not wrong. After other refusals an agent cannot take part until it sends
// acceptable results.
void StudyHost::report(const protocol::Refusal& refusal) {
  const std::uint32_t agent = base::value(refusal.agent);
  const std::string problem = fmt::format(
      "results of epoch {} refused: {}", base::value(refusal.epoch), base::name_of(refusal.reason));
  say(fmt::format("agent {}: {}", agent, problem), LogLevel::kWarning,
      fmt::format("message, {}", base::name_of(refusal.reason)));
  if (refusal.reason == protocol::Reason::kStale) return;
  const std::lock_guard lock(lease_mutex_);
  refused_[agent] = problem;
}

std::optional<grpc::Status> StudyHost::not_serving() const {
  if (stopping_) return going_away();
  if (!is_ready()) {
    return busy_status("the coordinator is reading its records; try again in a moment");
  }
  return std::nullopt;
}

grpc::Status StudyHost::objection_to(const v1::SendRequest& request, protocol::Message& message) {
  if (const auto status = not_serving()) return *status;
  if (grpc::Status status = check_caller(request.caller()); !status.ok()) return status;
  try {
    message = from_wire(request.message(), *definition_.study);
  } catch (const base::Error& error) {
    return status_of(error);
  }
  const auto* upload = std::get_if<protocol::Upload>(&message);
  const auto* closing = std::get_if<protocol::Closing>(&message);
  if (upload == nullptr && closing == nullptr) {
    return {StatusCode::INVALID_ARGUMENT, "message: agents send only uploads and closings"};
  }
  const std::uint32_t author = agent_of(message);
  if (author != request.caller().agent()) {
    return {StatusCode::PERMISSION_DENIED,
            fmt::format("agent {} sends a message of agent {}", request.caller().agent(), author)};
  }
  // A full disk keeps the worker waiting: report it instead of letting callers wait.
  if (const std::string problem = board_.problem();
      !problem.empty() && board_.state() != v1::STUDY_STATE_FAILED) {
    return {StatusCode::UNAVAILABLE, problem};
  }
  const std::lock_guard lock(pending_mutex_);
  if (!pending_.insert(author).second) {
    return {StatusCode::UNAVAILABLE, "a message of the same agent is being processed"};
  }
  return grpc::Status::OK;
}

void StudyHost::send(const v1::SendRequest& request, SendDone done) {
  board_.count_call();
  protocol::Message message;
  if (const grpc::Status status = objection_to(request, message); !status.ok()) {
    return done(status, {});
  }
  const auto reply = std::make_shared<v1::SendReply>();
  const auto answer = std::make_shared<Reply>([this, reply, agent = request.caller().agent(),
                                               done = std::move(done)](const grpc::Status& status) {
    {
      const std::lock_guard lock(pending_mutex_);
      pending_.erase(agent);
    }
    done(status, std::move(*reply));
  });
  worker_.post([this, message, caller = request.caller(), reply, answer] {
    // An operator may have retired the agent since the call arrived.
    const grpc::Status refused = check_not_retired(caller.agent());
    (*answer)(refused.ok() ? take(message, *reply) : refused);
  });
}

grpc::Status StudyHost::take(const protocol::Message& message, v1::SendReply& reply) {
  if (board_.state() == v1::STUDY_STATE_RUNNING || board_.state() == v1::STUDY_STATE_FINISHED) {
    try {
      const protocol::Effects effects = coordinator_->receive(message);
      if (!effects.records.empty()) {
        board_.count_upload(message);
        const std::lock_guard lock(lease_mutex_);
        refused_.erase(agent_of(message));
      }
      if (!carry_out(effects, "complete")) return going_away();
      for (const protocol::Outgoing& one : effects.messages) {
        if (!one.to) continue;
        *reply.add_answers() = to_wire(one.message);
      }
      close_without_retired();
    } catch (const std::exception& error) {
      fail(fmt::format("{}: {}", upload_name(message), error.what()));
    }
  }
  reply.set_state(board_.state());
  return grpc::Status::OK;
}

grpc::Status StudyHost::close_with_uploads(std::uint32_t epoch, const std::string& why) {
  if (grpc::Status status = check_running(); !status.ok()) return status;
  const base::EpochId open = coordinator_->epoch();
  if (base::value(open) != epoch) {
    return {StatusCode::INVALID_ARGUMENT,
            fmt::format("epoch = {}: the open epoch is {}", epoch, base::value(open))};
  }
  std::vector<base::AgentId> participants;
  const std::vector<base::AgentId> missing = coordinator_->waiting_for();
  for (std::uint32_t agent = 0; agent < definition_.study->agents; ++agent) {
    if (!std::binary_search(missing.begin(), missing.end(), base::AgentId{agent})) {
      participants.push_back(base::AgentId{agent});
    }
  }
  if (participants.empty()) {
    return {StatusCode::INVALID_ARGUMENT,
            fmt::format("epoch = {}: no agent has uploaded yet", epoch)};
  }
  try {
    if (!carry_out(coordinator_->close(open, participants), why)) return going_away();
  } catch (const std::exception& error) {
    fail(error.what());
    return status_of(error);
  }
  return grpc::Status::OK;
}

}  // namespace duets::service
