#include "duets/service/study_board.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "duets/protocol/found.h"
#include "duets/protocol/guarantee.h"
#include "duets/service/wire.h"
#include "duets/service/wire_found.h"
#include "duets/service/wire_text.h"

namespace duets::service {
namespace {

/// A reply has at least one broadcast, and no further ones once it is this large.
constexpr std::size_t kMaxReplyBytes = std::size_t{16} << 20;
constexpr int kMaxNamedAgents = 100;

bool is_closing(const protocol::Message& message) {
  const auto* set = std::get_if<protocol::InducingSet>(&message);
  return std::holds_alternative<protocol::Closing>(message) || (set != nullptr && set->closing);
}

// A coordinator that was killed has stored no end.
v1::ServiceEnd end_to_wire(const ServiceNote& note, double now_unix) {
  v1::ServiceEnd end;
  if (note.how == ServiceNote::kServing) {
    end.set_how("not recorded");
    return end;
  }
  end.set_how(note.how);
  end.set_why(note.why);
  end.set_seconds_ago(std::max(0.0, now_unix - note.unix));
  return end;
}

double seconds_of(std::chrono::duration<double> since) { return since.count(); }

}  // namespace

double steady_seconds() { return seconds_of(std::chrono::steady_clock::now().time_since_epoch()); }
double unix_seconds() { return seconds_of(std::chrono::system_clock::now().time_since_epoch()); }

StudyBoard::StudyBoard(const Definition& definition)
    : study_(definition.study),
      num_agents_(definition.study->agents),
      scale_(definition.objective()),
      policy_(definition.policy()) {
  const protocol::Study& study = *definition.study;
  status_.set_study(study.name);
  status_.set_state(v1::STUDY_STATE_RUNNING);
  status_.set_served(true);
  status_.set_agents(study.agents);
  status_.set_horizon(protocol::num_queries_each(study));
  status_.set_epochs(static_cast<std::uint32_t>(protocol::lengths(study).size()));
  status_.set_complete_participation(true);
  *status_.mutable_study_digest() = to_wire(protocol::study_digest(study));
  status_.mutable_run_digest();
  status_.mutable_state_digest();
  status_.mutable_traffic();
  update_expected();
}

// Nobody waits for a retired agent, and "all agents" means those that remain.
void StudyBoard::update_expected() {
  status_.clear_deadline();
  if (policy_.deadline > 0) status_.set_deadline(policy_.deadline);
  status_.set_quorum(policy_.quorum == 0 ? num_agents_ - static_cast<std::uint32_t>(retired_.size())
                                         : policy_.quorum);
  std::vector<std::uint32_t> waiting_for;
  std::ranges::set_difference(missing_, retired_, std::back_inserter(waiting_for));
  status_.mutable_waiting_for()->Assign(waiting_for.begin(), waiting_for.end());
}

void StudyBoard::show_policy(const ClosePolicy& policy) {
  const std::lock_guard lock(mutex_);
  policy_ = policy;
  update_expected();
}

void StudyBoard::show_retired(std::vector<std::uint32_t> agents) {
  const std::lock_guard lock(mutex_);
  retired_ = std::move(agents);
  update_expected();
}

void StudyBoard::show(const protocol::Record& record) {
  const std::lock_guard lock(mutex_);
  for (const protocol::Message& message : protocol::broadcasts(*study_, record)) {
    broadcasts_.push_back({to_wire(message), is_closing(message)});
    chain_.push_back(chain_broadcast(chain_.back(), message));
  }
  if (const auto* opened = std::get_if<protocol::EpochOpened>(&record)) {
    status_.set_epoch(base::value(opened->epoch));
    status_.set_epoch_length(opened->report.length);
  }
  const auto* closed = std::get_if<protocol::EpochClosed>(&record);
  if (closed == nullptr) return;
  v1::EpochStatus& line = *status_.add_closed_epochs();
  line.set_epoch(base::value(closed->epoch));
  line.set_length(closed->report.length);
  line.set_participants(static_cast<std::uint32_t>(closed->participants.size()));
  line.set_holes(closed->report.num_holes);
  line.set_inducing(closed->report.num_inducing);
  line.set_region_fraction(closed->report.region_fraction);
  for (std::uint32_t agent = 0; agent < num_agents_; ++agent) {
    if (!std::binary_search(closed->participants.begin(), closed->participants.end(), agent)) {
      line.add_excluded(agent);
    }
  }
}

void StudyBoard::show(const protocol::Coordinator& coordinator, const random::StudySecret& secret,
                      v1::StudyState state) {
  const protocol::RunSummary& summary = coordinator.summary();
  const protocol::Study& study = coordinator.view().study();
  const auto recommendation = protocol::recommendation_of(study, scale_, summary);
  const auto best = protocol::best_trial_of(scale_, summary, coordinator.view(), secret);
  const Coordinates coordinates{study.domain->coordinate_names(), study.domain->parameters()};
  const base::LedgerTotals sent = summary.sent();
  std::vector<Ready> ready;
  {
    const std::lock_guard lock(mutex_);
    if (status_.state() != v1::STUDY_STATE_STOPPED) status_.set_state(state);
    missing_.clear();
    for (const base::AgentId agent : coordinator.waiting_for()) {
      missing_.push_back(base::value(agent));
    }
    update_expected();
    status_.clear_recommendation();
    if (recommendation) {
      *status_.mutable_recommendation() = recommendation_to_wire(
          coordinates, *recommendation, protocol::interval_meaning_of(study));
    }
    status_.clear_best_trial();
    if (best) *status_.mutable_best_trial() = best_trial_to_wire(coordinates, *best);
    *status_.mutable_run_digest() = to_wire(summary.run_digest());
    *status_.mutable_state_digest() = to_wire(summary.state_digest());
    status_.set_complete_participation(summary.participation().empty());
    status_.mutable_traffic()->set_reals_links(sent.links);
    status_.mutable_traffic()->set_closing_reals(sent.closing);
    ready_ = true;
    ready = take_ready(0, unix_seconds());
  }
  answer(std::move(ready));
}

void StudyBoard::show_note(std::uint32_t epoch, const EpochNote& note) {
  const std::lock_guard lock(mutex_);
  notes_[epoch] = note;
}

void StudyBoard::show_traffic(const v1::Traffic& traffic) {
  const std::lock_guard lock(mutex_);
  *status_.mutable_traffic() = traffic;
}

void StudyBoard::show_state(v1::StudyState state) {
  std::vector<Ready> ready;
  {
    const std::lock_guard lock(mutex_);
    status_.set_state(state);
    ready = take_ready(0, unix_seconds());
  }
  answer(std::move(ready));
}

void StudyBoard::show_end(const ServiceNote& note) {
  const std::lock_guard lock(mutex_);
  end_ = note;
}

void StudyBoard::show_problem(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  status_.set_problem(clean_text(problem));
}

v1::StudyState StudyBoard::state() const {
  const std::lock_guard lock(mutex_);
  return status_.state();
}

std::string StudyBoard::problem() const {
  const std::lock_guard lock(mutex_);
  return status_.problem();
}

std::uint32_t StudyBoard::epoch() const {
  const std::lock_guard lock(mutex_);
  return status_.epoch();
}

bool StudyBoard::ready() const {
  const std::lock_guard lock(mutex_);
  return ready_;
}

std::uint32_t StudyBoard::num_broadcasts() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::uint32_t>(broadcasts_.size());
}

v1::Traffic StudyBoard::traffic() const {
  const std::lock_guard lock(mutex_);
  return status_.traffic();
}

bool StudyBoard::uploaded(std::uint32_t agent) const {
  const std::lock_guard lock(mutex_);
  return has_uploaded(agent);
}

bool StudyBoard::has_uploaded(std::uint32_t agent) const {
  return ready_ && !std::binary_search(missing_.begin(), missing_.end(), agent);
}

bool StudyBoard::has_quorum() const {
  const std::lock_guard lock(mutex_);
  const std::size_t uploaded =
      num_agents_ - retired_.size() - static_cast<std::size_t>(status_.waiting_for_size());
  return ready_ && uploaded > 0 && uploaded >= status_.quorum();
}

std::uint32_t StudyBoard::epochs_taken_part(std::uint32_t agent) const {
  const std::lock_guard lock(mutex_);
  return num_taken_part(agent);
}

std::uint32_t StudyBoard::num_taken_part(std::uint32_t agent) const {
  std::uint32_t count = 0;
  for (const v1::EpochStatus& epoch : status_.closed_epochs()) {
    if (!std::binary_search(epoch.excluded().begin(), epoch.excluded().end(), agent)) ++count;
  }
  return count;
}

v1::StudyStatus StudyBoard::status(double now_unix) const {
  const std::lock_guard lock(mutex_);
  v1::StudyStatus status = status_;
  for (v1::EpochStatus& epoch : *status.mutable_closed_epochs()) {
    const auto note = notes_.find(epoch.epoch());
    if (note == notes_.end()) continue;
    epoch.set_why(note->second.why);
    epoch.set_seconds(note->second.closed_unix - note->second.opened_unix);
  }
  status.set_epoch_seconds(waiting_locked(now_unix).seconds());
  if (end_ && status.state() == v1::STUDY_STATE_RUNNING) {
    status.set_served(false);
    *status.mutable_ended() = end_to_wire(*end_, now_unix);
  }
  return status;
}

void StudyBoard::add_agents(const LeaseTable& leases, double now, v1::StudyStatus& status) const {
  const std::lock_guard lock(mutex_);
  for (std::uint32_t agent = 0; agent < num_agents_; ++agent) {
    v1::AgentStatus& line = *status.add_agent_status();
    line = leases.status(agent, status.epoch(), now);
    line.set_uploaded(has_uploaded(agent));
    line.set_epochs_excluded(static_cast<std::uint32_t>(status.closed_epochs_size()) -
                             num_taken_part(agent));
  }
}

v1::Waiting StudyBoard::waiting(double now_unix) const {
  const std::lock_guard lock(mutex_);
  return waiting_locked(now_unix);
}

v1::Waiting StudyBoard::waiting_locked(double now_unix) const {
  v1::Waiting waiting;
  waiting.set_epoch(status_.epoch());
  const auto& missing = status_.waiting_for();
  waiting.set_num_agents(static_cast<std::uint32_t>(missing.size()));
  const int named = std::min(kMaxNamedAgents, missing.size());
  waiting.mutable_agents()->Add(missing.begin(), missing.begin() + named);
  const auto note = notes_.find(status_.epoch());
  if (status_.state() == v1::STUDY_STATE_RUNNING && note != notes_.end()) {
    waiting.set_seconds(std::max(0.0, now_unix - note->second.opened_unix));
  }
  return waiting;
}

// A broadcast counts once per agent, like an upload: this is what the study needs, not how often a
// call had to be repeated. An agent may also have it from the answer to an upload.
void StudyBoard::count_broadcasts(std::uint32_t agent, std::uint32_t known, std::uint32_t told) {
  // What an agent already had at its first call was counted by an earlier coordinator process.
  std::uint32_t& counted = told_.try_emplace(agent, known).first->second;
  for (; counted < told; ++counted) {
    const Broadcast& broadcast = broadcasts_[counted];
    count_payload(broadcast.message, broadcast.closing, true);
  }
}

v1::FetchReply StudyBoard::reply_from(std::uint32_t agent, std::uint32_t known, double now_unix) {
  v1::FetchReply reply;
  std::size_t bytes = 0;
  std::uint32_t told = known;
  for (; told < broadcasts_.size() && bytes < kMaxReplyBytes; ++told) {
    bytes += broadcasts_[told].message.ByteSizeLong();
    *reply.add_broadcasts() = broadcasts_[told].message;
  }
  count_broadcasts(agent, known, told);
  reply.set_state(status_.state());
  reply.set_problem(status_.problem());
  *reply.mutable_waiting() = waiting_locked(now_unix);
  return reply;
}

void StudyBoard::fetch(std::uint32_t agent, const v1::FetchRequest& request, double now,
                       double until, FetchDone done) {
  using grpc::StatusCode;
  const double now_unix = unix_seconds();
  grpc::Status refused;
  std::optional<v1::FetchReply> reply;
  {
    const std::lock_guard lock(mutex_);
    const std::uint32_t known = request.known();
    if (closed_) {
      refused = *closed_;
    } else if (known > broadcasts_.size()) {
      refused = {StatusCode::DATA_LOSS,
                 fmt::format("agent {} has {} broadcasts of study \"{}\", the coordinator only {}: "
                             "its storage was set back to an older copy",
                             agent, known, status_.study(), broadcasts_.size())};
    } else if (request.known_digest() != chain_[known]) {
      refused = {StatusCode::FAILED_PRECONDITION,
                 fmt::format("agent {} and the coordinator differ in the first {} broadcasts "
                             "({:016x} and {:016x})",
                             agent, known, request.known_digest(), chain_[known])};
    } else if (known < broadcasts_.size() || status_.state() != v1::STUDY_STATE_RUNNING ||
               until <= now) {
      reply = reply_from(agent, known, now_unix);
    } else {
      const auto earlier = std::find_if(waiters_.begin(), waiters_.end(),
                                        [&](const Waiter& w) { return w.agent == agent; });
      if (earlier == waiters_.end()) {
        waiters_.push_back({agent, known, until, std::move(done)});
        return;
      }
      reply = reply_from(agent, earlier->known, now_unix);
      std::swap(earlier->done, done);
      *earlier = {agent, known, until, std::move(earlier->done)};
    }
  }
  done(refused, reply ? std::move(*reply) : v1::FetchReply{});
}

std::vector<StudyBoard::Ready> StudyBoard::take_ready(double now, double now_unix) {
  std::vector<Ready> ready;
  const bool over = status_.state() != v1::STUDY_STATE_RUNNING;
  std::erase_if(waiters_, [&](Waiter& waiter) {
    if (!over && waiter.known >= broadcasts_.size() && waiter.until > now) return false;
    ready.push_back({std::move(waiter.done), reply_from(waiter.agent, waiter.known, now_unix)});
    return true;
  });
  return ready;
}

void StudyBoard::answer(std::vector<Ready> ready) {
  for (Ready& one : ready) one.done(grpc::Status::OK, std::move(one.reply));
}

void StudyBoard::release(std::uint32_t agent) {
  std::vector<Ready> ready;
  {
    const std::lock_guard lock(mutex_);
    for (Waiter& waiter : waiters_) {
      if (waiter.agent == agent) waiter.until = 0;
    }
    ready = take_ready(0, unix_seconds());
  }
  answer(std::move(ready));
}

void StudyBoard::expire(double now, double now_unix) {
  std::vector<Ready> ready;
  {
    const std::lock_guard lock(mutex_);
    ready = take_ready(now, now_unix);
  }
  answer(std::move(ready));
}

void StudyBoard::close(const grpc::Status& status) {
  std::vector<Waiter> waiters;
  {
    const std::lock_guard lock(mutex_);
    closed_ = status;
    waiters.swap(waiters_);
  }
  for (const Waiter& waiter : waiters) waiter.done(status, {});
}

void StudyBoard::count_call() {
  const std::lock_guard lock(mutex_);
  v1::Traffic& traffic = *status_.mutable_traffic();
  traffic.set_calls(traffic.calls() + 1);
}

void StudyBoard::count_upload(const protocol::Message& message) {
  const std::lock_guard lock(mutex_);
  count_payload(to_wire(message), is_closing(message), false);
}

void StudyBoard::count_payload(const v1::Message& message, bool closing, bool down) {
  v1::Traffic& traffic = *status_.mutable_traffic();
  const std::uint64_t bytes = message.encoded().size();
  if (closing) {
    traffic.set_closing_bytes(traffic.closing_bytes() + bytes);
  } else if (down) {
    traffic.set_payload_down_bytes(traffic.payload_down_bytes() + bytes);
  } else {
    traffic.set_payload_up_bytes(traffic.payload_up_bytes() + bytes);
  }
}

}  // namespace duets::service
