#include "duets/service/study_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duets/base/error.h"
#include "duets/service/message_json.h"
#include "duets/service/wire_text.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {
namespace {

constexpr std::size_t kNamedInText = 8;

bool runs(const v1::StudyStatus& status) { return status.state() == v1::STUDY_STATE_RUNNING; }
bool is_live(const v1::AgentStatus& agent) { return agent.presence() == v1::PRESENCE_LIVE; }

// `named` are the first of `count` missing agents.
template <typename Agents>
std::string text_of(std::uint32_t epoch, const Agents& agents, std::size_t count, double seconds) {
  if (agents.empty()) return {};
  std::vector<std::uint32_t> named(agents.begin(), agents.end());
  named.resize(std::min(named.size(), kNamedInText));
  const std::size_t rest = count > named.size() ? count - named.size() : 0;
  return fmt::format("waiting for agent{} {}{} in epoch {} for {:.0f} s", count > 1 ? "s" : "",
                     fmt::join(named, ", "), rest > 0 ? fmt::format(" (and {} more)", rest) : "",
                     epoch, std::max(0.0, std::floor(seconds)));
}

std::string state_of(const v1::StudyStatus& status, const v1::AgentStatus& agent) {
  if (agent.retired()) return "retired";
  if (status.state() == v1::STUDY_STATE_FINISHED && agent.presence() != v1::PRESENCE_NEVER_SEEN) {
    return "done";
  }
  if (!runs(status)) return word_of(agent.presence());
  if (agent.uploaded()) return "delivered";
  return is_live(agent) ? "measuring" : word_of(agent.presence());
}

void derive_holding_up(v1::StudyStatus& status) {
  std::vector<std::uint32_t> idle;
  std::vector<std::uint32_t> measuring;
  bool any_uploaded = false;
  for (const v1::AgentStatus& agent : status.agent_status()) {
    any_uploaded = any_uploaded || agent.uploaded();
    if (agent.uploaded() || agent.retired()) continue;
    (is_live(agent) ? measuring : idle).push_back(agent.agent());
  }
  status.clear_holding_up();
  if (!runs(status)) return;
  const bool last_one = idle.empty() && measuring.size() == 1 && any_uploaded;
  const std::vector<std::uint32_t>& agents = last_one ? measuring : idle;
  status.mutable_holding_up()->Add(agents.begin(), agents.end());
}

// Queries per agent in the closed epochs.
std::uint32_t num_past(const v1::StudyStatus& status) {
  std::uint32_t past = 0;
  for (const v1::EpochStatus& epoch : status.closed_epochs()) past += epoch.length();
  return past;
}

double progress_of(const v1::StudyStatus& status) {
  if (status.state() == v1::STUDY_STATE_FINISHED) return 1;
  double answered = 0;
  for (const v1::AgentStatus& agent : status.agent_status()) {
    if (!agent.retired()) answered += agent.answered();
  }
  const double open = answered / std::max(1U, num_active(status));
  return std::min(1.0, (num_past(status) + open) / std::max(1U, status.horizon()));
}

// For a working agent that has not uploaded; the current query is not counted twice.
double rest_of_epoch(const v1::StudyStatus& status, const v1::AgentStatus& agent, double slowest) {
  const double pace = agent.seconds_per_query() > 0 ? agent.seconds_per_query() : slowest;
  const double open = status.epoch_length() - agent.answered();
  return std::max(0.0, open * pace - std::min(agent.query_seconds(), pace));
}

void derive_seconds_left(v1::StudyStatus& status) {
  status.clear_seconds_left();
  double slowest = 0;
  for (const v1::AgentStatus& agent : status.agent_status()) {
    if (!agent.retired()) slowest = std::max(slowest, agent.seconds_per_query());
  }
  if (!runs(status) || slowest <= 0) return;
  double rest = 0;
  for (const v1::AgentStatus& agent : status.agent_status()) {
    if (agent.retired() || agent.uploaded()) continue;
    if (!is_live(agent)) return;
    rest = std::max(rest, rest_of_epoch(status, agent, slowest));
  }
  const double later =
      static_cast<double>(status.horizon()) - num_past(status) - status.epoch_length();
  status.set_seconds_left(rest + std::max(0.0, later) * slowest);
}

void require_count(int count, std::uint64_t most, const char* field) {
  base::require(static_cast<std::uint64_t>(count) <= most, field, fmt::format("{} entries", count),
                fmt::format("the study has {}", most));
}

void require_agent(std::uint32_t agent, const v1::StudyStatus& status, const char* field) {
  base::require(agent < status.agents(), field, fmt::format("{}", agent),
                fmt::format("must be below {}", status.agents()));
}

}  // namespace

std::string word_of(v1::StudyState state) { return enum_word(*v1::StudyState_descriptor(), state); }
std::string word_of(v1::Presence presence) {
  return enum_word(*v1::Presence_descriptor(), presence);
}

void derive(v1::StudyStatus& status) {
  for (v1::AgentStatus& agent : *status.mutable_agent_status()) {
    agent.set_answered(agent.uploaded() ? status.epoch_length()
                                        : std::min(agent.answered(), status.epoch_length()));
    agent.set_state(state_of(status, agent));
  }
  derive_holding_up(status);
  status.set_progress(progress_of(status));
  derive_seconds_left(status);
}

void check(v1::StudyStatus& status) {
  clean_texts(status);
  base::require(
      v1::StudyState_IsValid(status.state()) && status.state() != v1::STUDY_STATE_UNSPECIFIED,
      "status.state", fmt::format("{}", static_cast<int>(status.state())),
      "is not a state of a study");
  require_count(status.waiting_for_size(), status.agents(), "status.waiting_for");
  require_count(status.holding_up_size(), status.agents(), "status.holding_up");
  require_count(status.agent_status_size(), status.agents(), "status.agent_status");
  require_count(status.closed_epochs_size(), status.epochs(), "status.closed_epochs");
  for (const std::uint32_t agent : status.waiting_for()) {
    require_agent(agent, status, "status.waiting_for");
  }
  for (const std::uint32_t agent : status.holding_up()) {
    require_agent(agent, status, "status.holding_up");
  }
  for (const v1::AgentStatus& agent : status.agent_status()) {
    require_agent(agent.agent(), status, "status.agent");
    base::require(v1::Presence_IsValid(agent.presence()), "status.presence",
                  fmt::format("{}", static_cast<int>(agent.presence())), "is not a presence");
  }
}

std::uint32_t num_active(const v1::StudyStatus& status) {
  return status.agents() -
         static_cast<std::uint32_t>(std::ranges::count_if(
             status.agent_status(), [](const v1::AgentStatus& agent) { return agent.retired(); }));
}

std::string waiting_text(const v1::StudyStatus& status) {
  return text_of(status.epoch(), status.holding_up(),
                 static_cast<std::size_t>(status.holding_up_size()), status.epoch_seconds());
}

std::string waiting_text(const v1::Waiting& waiting) {
  return text_of(
      waiting.epoch(), waiting.agents(),
      std::max<std::size_t>(static_cast<std::size_t>(waiting.agents_size()), waiting.num_agents()),
      waiting.seconds());
}

}  // namespace duets::service
