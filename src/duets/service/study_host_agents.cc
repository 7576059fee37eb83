// Leases, heartbeats, waiting calls and deadlines, all handled while the worker computes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/protocol/guarantee.h"
#include "duets/service/agent_journal_instance.h"
#include "duets/service/handshake.h"
#include "duets/service/status_code.h"
#include "duets/service/study_host.h"
#include "duets/service/study_status.h"
#include "duets/service/wire.h"
#include "duets/service/wire_text.h"

namespace duets::service {
namespace {

using grpc::StatusCode;

constexpr std::size_t kMaxText = 500;

// An agent's own texts are shown to people, so they are cleaned.
v1::Progress checked_progress(v1::Progress progress) {
  progress.set_problem(clean_text(progress.problem(), kMaxText));
  const auto is_time = [](double seconds) { return std::isfinite(seconds) && seconds >= 0; };
  if (!is_time(progress.seconds_per_query())) progress.set_seconds_per_query(0);
  if (!is_time(progress.query_seconds())) progress.set_query_seconds(0);
  return progress;
}

std::string key_bytes(const random::Coin& coin) { return {coin.key().begin(), coin.key().end()}; }

}  // namespace

grpc::Status StudyHost::join(const v1::JoinRequest& request,
                             const std::optional<Identity>& identity, v1::JoinReply& reply) {
  board_.count_call();
  if (const auto status = not_serving()) return *status;
  const protocol::Study& study = *definition_.study;
  const base::Digest digest = protocol::study_digest(study);
  // A journal may be from before the study was extended.
  const base::Digest known =
      request.has_study_digest() ? from_wire(request.study_digest()) : digest;
  if (const auto objection =
          handshake_objection(request, protocol::has_digest(study, known) ? known : digest)) {
    return {StatusCode::FAILED_PRECONDITION, *objection};
  }
  if (request.instance().size() != kInstanceBytes) {
    return {StatusCode::INVALID_ARGUMENT, "instance: must be 16 bytes"};
  }
  std::optional<std::uint32_t> wanted;
  if (request.has_agent()) wanted = request.agent();
  if (!wanted && identity && identity->role == Identity::Role::kAgent &&
      identity->first == identity->last) {
    wanted = identity->first;
  }
  if (identity && !wanted) {
    return {StatusCode::INVALID_ARGUMENT, "agent: specify one; the certificate covers several"};
  }
  if (identity && !identity->may_act_as(study.name, *wanted)) {
    return {StatusCode::PERMISSION_DENIED,
            fmt::format("the certificate of \"{}\" does not cover agent {} of study \"{}\"",
                        common_name(*identity), *wanted, study.name)};
  }
  if (wanted && *wanted >= study.agents) {
    return {StatusCode::INVALID_ARGUMENT, fmt::format("agent = {}: study \"{}\" has agents 0 to {}",
                                                      *wanted, study.name, study.agents - 1)};
  }
  if (request.known_broadcasts() > board_.num_broadcasts()) {
    // The agent's journal has the lost broadcasts and results, and the agent sends them again.
    say(fmt::format(
        "{} has {} broadcasts, but this storage only {}: it was set back to an older copy",
        clean_text(request.host(), kMaxText), request.known_broadcasts(), board_.num_broadcasts()));
  }
  const Holder holder{request.instance(), request.start().substr(0, kInstanceBytes),
                      clean_text(request.host(), kMaxText)};
  Grant grant;
  if (grpc::Status status = grant_lease(wanted, holder, request, grant); !status.ok()) {
    return status;
  }
  *reply.mutable_definition() = to_wire(definition_);
  *reply.mutable_study_digest() = to_wire(digest);
  reply.set_agent(grant.agent);
  reply.set_coin(key_bytes(secret_.agent_coin(base::AgentId{grant.agent})));
  reply.set_public_coin(key_bytes(secret_.public_coin()));
  reply.set_token(grant.token);
  reply.set_lease_seconds(options_.lease_seconds);
  reply.set_num_broadcasts(board_.num_broadcasts());
  reply.set_uploaded(board_.uploaded(grant.agent));
  *reply.mutable_epochs() = epochs_of(study);
  return grpc::Status::OK;
}

// The new table must be on disk before it takes effect, and heartbeats must not wait for the disk:
// so the decision is made on a copy, stored, and then repeated on the table in use.
grpc::Status StudyHost::grant_lease(std::optional<std::uint32_t> wanted, const Holder& holder,
                                    const v1::JoinRequest& request, Grant& grant) {
  const std::lock_guard joining(join_mutex_);
  const double now = steady_seconds();
  LeaseTable next = [&] {
    const std::lock_guard lock(lease_mutex_);
    return leases_;
  }();
  grant = next.join(wanted, holder, request.take_over(), now);
  if (!grant.granted && wanted && next.is_retired(*wanted)) {
    return {StatusCode::ABORTED, grant.objection};
  }
  if (!grant.granted) return {StatusCode::ALREADY_EXISTS, grant.objection};
  if (definition_.study->data == protocol::DataPolicy::kSurviving && !request.has_journal() &&
      board_.epochs_taken_part(grant.agent) > 0) {
    return {StatusCode::FAILED_PRECONDITION,
            fmt::format("agent {} took part before, and data = \"surviving\" needs its earlier "
                        "rewards: start it with its journal",
                        grant.agent)};
  }
  if (grant.changed) {
    try {
      journal_.set_leases(next.save());
    } catch (const base::Error& error) {
      say(fmt::format("agent {} cannot join: {}", grant.agent, error.what()), LogLevel::kWarning,
          "disk, joining");
      return {StatusCode::UNAVAILABLE, clean_text(error.what())};
    }
    say(fmt::format("agent {} joined from {}{}", grant.agent, holder.host,
                    grant.token > 1 ? fmt::format(" (holder {})", grant.token) : ""));
  }
  {
    const std::lock_guard lock(lease_mutex_);
    // A heartbeat that arrived in the meantime does not undo what is stored.
    leases_.join(grant.agent, holder, /*take_over=*/true, now);
    said_presence_[grant.agent] = v1::PRESENCE_LIVE;
  }
  // A waiting call of the previous holder learns of it now.
  if (grant.changed) board_.release(grant.agent);
  return grpc::Status::OK;
}

grpc::Status StudyHost::check_caller(const v1::Caller& caller) {
  const std::lock_guard lock(lease_mutex_);
  if (leases_.renew(caller.agent(), caller.token(), steady_seconds())) return grpc::Status::OK;
  if (leases_.is_from_later(caller.agent(), caller.token())) {
    return {StatusCode::DATA_LOSS,
            fmt::format("the coordinator does not know agent {}'s last start: its storage was "
                        "set back to an older copy",
                        caller.agent())};
  }
  return {StatusCode::ABORTED, leases_.fenced_text(caller.agent())};
}

void StudyHost::fetch(const v1::FetchRequest& request, FetchDone done) {
  board_.count_call();
  if (const auto status = not_serving()) return done(*status, {});
  if (const grpc::Status status = check_caller(request.caller()); !status.ok()) {
    return done(status, {});
  }
  const double asked = request.wait_seconds();
  const double wait = asked > 0 ? std::min(asked, options_.max_wait_seconds) : 0;
  const double now = steady_seconds();
  board_.fetch(request.caller().agent(), request, now, now + wait, std::move(done));
}

grpc::Status StudyHost::beat(const v1::BeatRequest& request, v1::BeatReply& reply) {
  board_.count_call();
  const double now = steady_seconds();
  {
    const std::lock_guard lock(lease_mutex_);
    for (const v1::Progress& progress : request.progress()) {
      if (!leases_.beat(checked_progress(progress), now)) reply.add_fenced(progress.agent());
    }
  }
  reply.set_state(board_.state());
  *reply.mutable_waiting() = board_.waiting(unix_seconds());
  return grpc::Status::OK;
}

grpc::Status StudyHost::leave(const v1::LeaveRequest& request) {
  board_.count_call();
  const std::lock_guard joining(join_mutex_);
  const base::Bytes leases = [&] {
    const std::lock_guard lock(lease_mutex_);
    leases_.leave(request.caller().agent(), request.caller().token());
    return leases_.save();
  }();
  try {
    journal_.set_leases(leases);
  } catch (const base::Error& error) {
    say(fmt::format("cannot store that agent {} left: {}", request.caller().agent(), error.what()),
        LogLevel::kWarning, "disk, leaving");
    return status_of(error);
  }
  return grpc::Status::OK;
}

std::optional<double> StudyHost::deadline_seconds() const {
  const double deadline = policy().deadline;
  if (deadline <= 0) return std::nullopt;
  const std::lock_guard lock(lease_mutex_);
  const auto seconds = leases_.median_seconds_per_query();
  if (!seconds) return std::nullopt;
  const std::uint32_t epoch = board_.epoch();
  if (epoch == 0) return std::nullopt;
  return deadline * *seconds * protocol::lengths(*definition_.study)[epoch - 1];
}

v1::StudyStatus StudyHost::status() const {
  const double now = steady_seconds();
  v1::StudyStatus status = board_.status(unix_seconds());
  status.set_created(created_unix_);
  if (const auto limit = deadline_seconds(); limit && status.state() == v1::STUDY_STATE_RUNNING) {
    // People count from the opening of the epoch, even if a restart has reset the deadline.
    status.set_deadline_seconds(*limit +
                                std::max(0.0, status.epoch_seconds() - (now - epoch_began_)));
  }
  status.set_guarantee(protocol::guarantee_of(*definition_.study, status.complete_participation()));
  {
    const std::lock_guard lock(lease_mutex_);
    board_.add_agents(leases_, now, status);
    for (v1::AgentStatus& line : *status.mutable_agent_status()) {
      const auto refused = refused_.find(line.agent());
      if (refused != refused_.end()) line.set_problem(refused->second);
    }
  }
  derive(status);
  return status;
}

bool StudyHost::is_over_deadline(const v1::StudyStatus& status) const {
  const auto limit = deadline_seconds();
  return status.state() == v1::STUDY_STATE_RUNNING && limit && board_.has_quorum() &&
         steady_seconds() - epoch_began_ > *limit;
}

void StudyHost::check_presence(double now) {
  std::vector<std::uint32_t> lost;
  {
    const std::lock_guard lock(lease_mutex_);
    for (std::uint32_t agent = 0; agent < said_presence_.size(); ++agent) {
      const v1::Presence presence = leases_.presence(agent, now);
      if (presence == v1::PRESENCE_LOST && said_presence_[agent] == v1::PRESENCE_LIVE) {
        lost.push_back(agent);
      }
      said_presence_[agent] = presence;
    }
  }
  if (lost.empty() || board_.state() != v1::STUDY_STATE_RUNNING) return;
  say(fmt::format("nothing heard from agents {} for {:.0f} s", fmt::join(lost, ", "),
                  options_.lease_seconds),
      LogLevel::kWarning);
}

void StudyHost::tick() {
  const double now = steady_seconds();
  board_.expire(now, unix_seconds());
  check_presence(now);
  if (policy().deadline <= 0 || close_posted_) return;
  const v1::StudyStatus status = board_.status(unix_seconds());
  if (!is_over_deadline(status)) return;
  close_posted_ = true;
  worker_.post([this, epoch = status.epoch()] {
    // The epoch may have ended in the meantime, or an operator may have changed the deadline.
    if (is_over_deadline(board_.status(unix_seconds()))) close_with_uploads(epoch, "deadline");
    close_posted_ = false;
  });
}

}  // namespace duets::service
