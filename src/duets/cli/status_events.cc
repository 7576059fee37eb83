#include "duets/cli/status_events.h"

#include <fmt/format.h>

#include <map>

#include "duets/cli/agent_numbers.h"
#include "duets/cli/progress_bar.h"

namespace duets::cli {
namespace {

using service::AgentStatus;
using service::Presence;
using service::StudyState;
using service::StudyStatus;

std::string state_line(const StudyStatus& status) {
  switch (status.state) {
    case StudyState::kRunning:
      return fmt::format("epoch {} of {} is open: {} an agent", status.epoch, status.num_epochs,
                         count_text(status.epoch_length, "query", "queries"));
    case StudyState::kStopped:
      return "stopped by an operator";
    case StudyState::kFinished:
      return "finished";
    case StudyState::kFailed:
      return "failed: " + status.problem;
  }
  return {};
}

// Empty when there is no news of this agent.
std::string news(const AgentStatus& before, const AgentStatus& now) {
  if (now.retired) return before.retired ? "" : "retired by an operator";
  if (before.token > 0 && now.token > before.token) {
    return fmt::format("taken over by {}", now.host);
  }
  if (before.presence == now.presence) return {};
  switch (now.presence) {
    case Presence::kLive:
      return fmt::format("{} from {}", before.presence == Presence::kNever ? "joined" : "back",
                         now.host);
    case Presence::kLost:
      return "lost: nothing heard within the lease; a restart or another machine goes on";
    case Presence::kLeft:
      return "left";
    case Presence::kNever:
      return {};
  }
  return {};
}

void tell_agents(const StudyStatus& before, const StudyStatus& now,
                 std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::uint32_t>> told;
  for (std::size_t i = 0; i < now.agent_status.size(); ++i) {
    const AgentStatus fresh{};
    const AgentStatus& earlier = i < before.agent_status.size() ? before.agent_status[i] : fresh;
    const AgentStatus& agent = now.agent_status[i];
    const std::string text = news(earlier, agent);
    if (!text.empty()) told[text].push_back(agent.agent);
    if (earlier.problem.empty() && !agent.problem.empty()) {
      told["a query failed: " + agent.problem].push_back(agent.agent);
    }
  }
  for (const auto& [text, agents] : told) {
    lines.push_back(fmt::format("{} {}", agents_text(agents), text));
  }
}

}  // namespace

bool is_over(const StudyStatus& status) { return status.state != StudyState::kRunning; }

std::string closed_text(const service::EpochStatus& epoch, std::uint32_t agents) {
  std::string text = fmt::format("epoch {} closed ({}): {} of {}", epoch.epoch, epoch.why,
                                 epoch.participants, count_text(agents, "agent", "agents"));
  if (!epoch.excluded.empty()) text += ", without " + agents_text(epoch.excluded);
  if (epoch.holes > 0) text += "; " + count_text(epoch.holes, "hole", "holes");
  return text + fmt::format("; {}, region {:.3g} % of the domain; {}",
                            count_text(epoch.inducing, "inducing point", "inducing points"),
                            100 * epoch.region_fraction, duration_text(epoch.seconds));
}

std::vector<std::string> changes(const StudyStatus* before, const StudyStatus& now) {
  if (before == nullptr) return {state_line(now)};
  std::vector<std::string> lines;
  tell_agents(*before, now, lines);
  for (std::size_t i = before->epochs.size(); i < now.epochs.size(); ++i) {
    lines.push_back(closed_text(now.epochs[i], now.agents));
  }
  if (now.epoch > before->epoch && !is_over(now)) lines.push_back(state_line(now));
  if (now.problem != before->problem && now.state != StudyState::kFailed) {
    lines.push_back(now.problem.empty() ? "the problem is over" : "problem: " + now.problem);
  }
  if (now.state != before->state) lines.push_back(state_line(now));
  return lines;
}

}  // namespace duets::cli
