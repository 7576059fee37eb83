#include "duets/service/agent_session.h"

#include <fmt/format.h>

#include <utility>

#include "duets/base/error.h"
#include "duets/service/agent_session_talk.h"

namespace duets::service {
/// The queries and answers of the caller; AgentTalk communicates with the coordinator.
class AgentSession::Impl {
 public:
  explicit Impl(SessionOptions options) : talk_(std::move(options)) {}

  void keep(const Query& query, JournalAnswer answer) {
    if (query.agent != talk_.agent()) {
      base::refuse("query.agent", fmt::format("{}", query.agent),
                   fmt::format("this is the session of agent {}", talk_.agent()));
    }
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
  impl_->keep(query, journal_answer(definition(), query, Value{value}, seconds));
}

void AgentSession::report_infeasible(const Query& query, const std::string& why, double seconds) {
  impl_->keep(query, journal_answer(definition(), query, Infeasible{why}, seconds));
}

void AgentSession::report_failure(const Query& query, const Failure& failure, double seconds) {
  impl_->talk_.pulse().set_problem(fmt::format("trial {}: {}", trial_name(query), failure.why));
  impl_->keep(query, journal_answer(definition(), query, failure, seconds));
}

}  // namespace duets::service
