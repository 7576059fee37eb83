#include "duets/cli/status_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/cli/progress_bar.h"

namespace duets::cli {
namespace {

using service::AgentStatus;
using service::Presence;
using service::StudyState;
using service::StudyStatus;

// Queries an agent in the epochs that are closed.
std::uint32_t num_past(const StudyStatus& status) {
  std::uint32_t past = 0;
  for (const service::EpochStatus& epoch : status.epochs) past += epoch.length;
  return past;
}

double slowest_pace(const StudyStatus& status) {
  double slowest = 0;
  for (const AgentStatus& agent : status.agent_status) {
    if (!agent.retired) slowest = std::max(slowest, agent.seconds_per_query);
  }
  return slowest;
}

// Of an agent at work that has not uploaded; the query under way is not counted twice.
double rest_of_epoch(const StudyStatus& status, const AgentStatus& agent, double slowest) {
  const double pace = agent.seconds_per_query > 0 ? agent.seconds_per_query : slowest;
  const double open = status.epoch_length - answered_of(status, agent);
  return std::max(0.0, open * pace - std::min(agent.query_seconds, pace));
}

}  // namespace

std::uint32_t answered_of(const StudyStatus& status, const AgentStatus& agent) {
  return agent.uploaded ? status.epoch_length : std::min(agent.answered, status.epoch_length);
}

std::string agent_state(const StudyStatus& status, const AgentStatus& agent) {
  if (agent.retired) return "retired";
  if (status.state == StudyState::kFinished && agent.presence != Presence::kNever) return "done";
  if (status.state != StudyState::kRunning) return std::string(base::name_of(agent.presence));
  if (agent.uploaded) return "delivered";
  return std::string(agent.presence == Presence::kLive ? "measuring"
                                                       : base::name_of(agent.presence));
}

std::uint32_t num_active(const StudyStatus& status) {
  return status.agents - static_cast<std::uint32_t>(std::ranges::count_if(
                             status.agent_status, [](const AgentStatus& a) { return a.retired; }));
}

double progress_of(const StudyStatus& status) {
  if (status.state == StudyState::kFinished) return 1;
  double answered = 0;
  for (const AgentStatus& agent : status.agent_status) {
    if (!agent.retired) answered += answered_of(status, agent);
  }
  const double open = answered / std::max(1U, num_active(status));
  return std::min(1.0, (num_past(status) + open) / std::max(1U, status.horizon));
}

std::optional<double> seconds_left(const StudyStatus& status) {
  const double slowest = slowest_pace(status);
  if (status.state != StudyState::kRunning || slowest <= 0) return std::nullopt;
  double rest = 0;
  for (const AgentStatus& agent : status.agent_status) {
    if (agent.retired || agent.uploaded) continue;
    if (agent.presence != Presence::kLive) return std::nullopt;
    rest = std::max(rest, rest_of_epoch(status, agent, slowest));
  }
  const double later = static_cast<double>(status.horizon) - num_past(status) - status.epoch_length;
  return rest + std::max(0.0, later) * slowest;
}

std::string progress_text(const StudyStatus& status) {
  std::string text = fmt::format("epoch {} of {}, {:.0f} % of all queries", status.epoch,
                                 status.num_epochs, 100 * progress_of(status));
  if (const auto left = seconds_left(status)) {
    text += fmt::format(", about {} left", duration_text(*left));
  }
  return text;
}

}  // namespace duets::cli
