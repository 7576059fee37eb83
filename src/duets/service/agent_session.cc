#include "duets/service/agent_session.h"

#include <fmt/format.h>

#include <utility>

#include "duets/base/error.h"
#include "duets/service/agent_session_talk.h"

namespace duets::service {
namespace {

constexpr std::size_t kLongestText = 5000;  ///< of an objective's failure text

}  // namespace

/// The queries and answers of the caller; AgentTalk communicates with the coordinator.
class AgentSession::Impl {
 public:
  explicit Impl(SessionOptions options) : talk_(std::move(options)) {}

  void keep(const Query& query, JournalAnswer answer) {
    if (query.agent != talk_.agent()) {
      base::refuse("query.agent", fmt::format("{}", query.agent),
                   fmt::format("this is the session of agent {}", talk_.agent()));
    }
    answer.epoch = query.epoch;
    answer.slot = query.slot;
    answer.latent = query.latent;
    answer.text = answer.text.substr(0, kLongestText);
    talk_.keep(std::move(answer));
  }

  AgentTalk talk_;
};

AgentSession::AgentSession(SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
AgentSession::~AgentSession() = default;

std::uint32_t AgentSession::agent() const { return impl_->talk_.agent(); }
const Definition& AgentSession::definition() const { return impl_->talk_.definition(); }
bool AgentSession::finished() const { return impl_->talk_.over(); }
bool AgentSession::deliver() { return impl_->talk_.deliver(); }
void AgentSession::stop() { impl_->talk_.stop(); }
std::string AgentSession::state() const { return impl_->talk_.pulse().state(); }

std::optional<Query> AgentSession::next() {
  AgentTalk& talk = impl_->talk_;
  if (!talk.wait_for_query()) return std::nullopt;
  talk.pulse().begin_query();
  return talk.book().query(talk.book().first_open_slot());
}

std::vector<Query> AgentSession::plan() {
  AgentTalk& talk = impl_->talk_;
  std::vector<Query> queries;
  if (!talk.wait_for_query()) return queries;
  for (const std::uint32_t slot : talk.book().open_slots()) {
    queries.push_back(talk.book().query(slot));
  }
  return queries;
}

void AgentSession::report(const Query& query, double value, double seconds) {
  const std::string objection = definition().objective().objection_to(value);
  if (!objection.empty()) {
    throw base::Error(base::ErrorKind::kInvalid,
                      fmt::format("trial {}: {}; report a query without an answer as a failure",
                                  trial_name(query), objection));
  }
  impl_->keep(query, {.kind = JournalTrial::Kind::kValue, .value = value, .seconds = seconds});
}

void AgentSession::report_infeasible(const Query& query, const std::string& why, double seconds) {
  const std::optional<double> value = definition().objective().infeasible_value;
  if (!value) {
    throw base::Error(
        base::ErrorKind::kObjective,
        fmt::format("trial {} is infeasible ({}), but the study was started without "
                    "objective.infeasible_value and cannot be changed; let the "
                    "program answer with a value of its own, or exit with a "
                    "code other than 0 (a hole), or start a new study that sets the key",
                    trial_name(query), why));
  }
  impl_->keep(
      query,
      {.kind = JournalTrial::Kind::kInfeasible, .value = *value, .seconds = seconds, .text = why});
}

void AgentSession::report_failure(const Query& query, const Failure& failure, double seconds) {
  impl_->talk_.pulse().set_problem(fmt::format("trial {}: {}", trial_name(query), failure.why));
  std::string text = failure.why;
  if (!failure.log_tail.empty()) text += "\n" + failure.log_tail;
  impl_->keep(query, {.kind = JournalTrial::Kind::kHole, .seconds = seconds, .text = text});
}

}  // namespace duets::service
