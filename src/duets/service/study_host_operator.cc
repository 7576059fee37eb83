// An operator's decisions about a running study. The worker executes them, so that a decision comes
// before or after a message, never at the same time.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/service/status_code.h"
#include "duets/service/study_host.h"
#include "duets/service/study_status.h"

namespace duets::service {
namespace {

using grpc::StatusCode;

std::string deadline_text(double deadline) {
  return deadline > 0 ? fmt::format("{}", deadline) : "none";
}

}  // namespace

grpc::Status StudyHost::check_running() const {
  if (board_.state() == v1::STUDY_STATE_RUNNING && coordinator_) return grpc::Status::OK;
  return {StatusCode::INVALID_ARGUMENT,
          fmt::format("study = {}: is {}, not running", definition_.study->name,
                      word_of(board_.state()))};
}

ClosePolicy StudyHost::policy() const {
  const std::lock_guard lock(policy_mutex_);
  return policy_;
}

void StudyHost::decide(std::function<grpc::Status()> decision, DecisionDone done) {
  const auto answer = std::make_shared<Reply>(std::move(done));
  if (const auto status = not_serving()) return (*answer)(*status);
  // A full disk keeps the worker waiting. A failed study does not: it says so.
  if (const std::string problem = board_.problem();
      !problem.empty() && board_.state() != v1::STUDY_STATE_FAILED) {
    return (*answer)({StatusCode::UNAVAILABLE, problem});
  }
  worker_.post([decision = std::move(decision), answer] { (*answer)(decision()); });
}

void StudyHost::close_epoch(const v1::CloseEpochRequest& request, DecisionDone done) {
  decide([this, epoch = request.epoch()] { return close_with_uploads(epoch, "operator"); },
         std::move(done));
}

void StudyHost::retire_agent(const v1::RetireAgentRequest& request, DecisionDone done) {
  decide([this, agent = request.agent()] { return retire_now(agent); }, std::move(done));
}

void StudyHost::set_policy(const v1::SetPolicyRequest& request, DecisionDone done) {
  decide([this, request] { return set_policy_now(request); }, std::move(done));
}

void StudyHost::stop() {
  const std::lock_guard lock(state_mutex_);
  base::require(board_.state() == v1::STUDY_STATE_RUNNING, "study", definition_.study->name,
                fmt::format("is {}, not running", word_of(board_.state())));
  journal_.set_state(v1::STUDY_STATE_STOPPED);
  board_.show_state(v1::STUDY_STATE_STOPPED);
  say("stopped by an operator");
}

grpc::Status StudyHost::retire_now(std::uint32_t agent) {
  if (grpc::Status status = check_running(); !status.ok()) return status;
  if (agent >= definition_.study->agents) {
    return {StatusCode::INVALID_ARGUMENT,
            fmt::format("agent = {}: study \"{}\" has agents 0 to {}", agent,
                        definition_.study->name, definition_.study->agents - 1)};
  }
  if (grpc::Status status = store_retired(agent); !status.ok()) return status;
  // A waiting call of the agent's holder learns of it now.
  board_.release(agent);
  return close_without_retired();
}

// Like a lease: on disk before it takes effect.
grpc::Status StudyHost::store_retired(std::uint32_t agent) {
  const std::lock_guard joining(join_mutex_);
  LeaseTable next = [&] {
    const std::lock_guard lock(lease_mutex_);
    return leases_;
  }();
  if (next.is_retired(agent)) return grpc::Status::OK;
  next.retire(agent);
  const std::size_t left = definition_.study->agents - next.retired().size();
  if (left == 0) {
    return {StatusCode::INVALID_ARGUMENT,
            fmt::format("agent = {}: is the last one; use `duets study stop {}` to end the study",
                        agent, definition_.study->name)};
  }
  if (left < policy().quorum) {
    return {StatusCode::INVALID_ARGUMENT,
            fmt::format(
                "agent = {}: {} would be left, but the quorum is {}; lower it with `duets study "
                "set {} --quorum {}`",
                agent, base::count_text(left, "agent", "agents"), policy().quorum,
                definition_.study->name, left)};
  }
  try {
    journal_.set_leases(next.save());
  } catch (const base::Error& error) {
    return status_of(error);
  }
  {
    const std::lock_guard lock(lease_mutex_);
    leases_.retire(agent);
  }
  board_.show_retired(next.retired());
  say(fmt::format("agent {} retired by an operator; {} left", agent, left));
  return grpc::Status::OK;
}

// No record has the decision until the epoch is closed: after a restart it is made again.
grpc::Status StudyHost::close_without_retired() {
  if (!coordinator_->is_open()) return grpc::Status::OK;
  const std::vector<base::AgentId> missing = coordinator_->waiting_for();
  const bool only_retired = std::ranges::none_of(
      missing, [this](base::AgentId agent) { return check_not_retired(base::value(agent)).ok(); });
  if (missing.empty() || !only_retired) return grpc::Status::OK;
  return close_with_uploads(base::value(coordinator_->epoch()), "retired");
}

grpc::Status StudyHost::check_not_retired(std::uint32_t agent) const {
  const std::lock_guard lock(lease_mutex_);
  if (!leases_.is_retired(agent)) return grpc::Status::OK;
  return {StatusCode::ABORTED, leases_.fenced_text(agent)};
}

grpc::Status StudyHost::set_policy_now(const v1::SetPolicyRequest& request) {
  if (grpc::Status status = check_running(); !status.ok()) return status;
  ClosePolicy next = policy();
  if (request.has_quorum()) next.quorum = request.quorum();
  if (request.has_deadline()) next.deadline = request.deadline();
  try {
    validate(next, definition_.study->agents);
    const auto num_retired = [&] {
      const std::lock_guard lock(lease_mutex_);
      return leases_.retired().size();
    }();
    base::require(next.quorum + num_retired <= definition_.study->agents, "quorum",
                  fmt::format("{}", next.quorum),
                  fmt::format("must be at most {}: the others are retired",
                              definition_.study->agents - num_retired));
    base::require(next.deadline == 0 || next.quorum > 0, "deadline",
                  fmt::format("{}", next.deadline),
                  "needs a quorum: the number of agents that are enough after it");
    journal_.set_policy(next);
  } catch (const base::Error& error) {
    return status_of(error);
  }
  {
    const std::lock_guard lock(policy_mutex_);
    policy_ = next;
  }
  board_.show_policy(next);
  say(fmt::format("an operator set the quorum to {} and the deadline to {}",
                  next.quorum > 0 ? fmt::format("{}", next.quorum) : "all",
                  deadline_text(next.deadline)));
  return grpc::Status::OK;
}

}  // namespace duets::service
