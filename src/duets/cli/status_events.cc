#include "duets/cli/status_events.h"

#include <fmt/format.h>

#include <map>

#include "duets/cli/agent_numbers.h"
#include "duets/cli/progress_bar.h"
#include "duets/service/study_status.h"
#include "duets/v1/duets.pb.h"

namespace duets::cli {
namespace {

std::string state_line(const v1::StudyStatus& status) {
  switch (status.state()) {
    case v1::STUDY_STATE_RUNNING:
      return fmt::format("epoch {} of {} is open: {} per agent", status.epoch(), status.epochs(),
                         count_text(status.epoch_length(), "query", "queries"));
    case v1::STUDY_STATE_STOPPED:
      return "stopped by an operator";
    case v1::STUDY_STATE_FAILED:
      return "failed: " + status.problem();
    default:
      return service::word_of(status.state());
  }
}

// Empty when nothing has changed for this agent.
std::string news(const v1::AgentStatus& before, const v1::AgentStatus& now) {
  if (now.retired()) return before.retired() ? "" : "retired by an operator";
  if (before.token() > 0 && now.token() > before.token()) {
    return fmt::format("taken over by {}", now.host());
  }
  if (before.presence() == now.presence()) return {};
  switch (now.presence()) {
    case v1::PRESENCE_LIVE:
      return fmt::format("{} from {}",
                         before.presence() == v1::PRESENCE_NEVER_SEEN ? "joined" : "back",
                         now.host());
    case v1::PRESENCE_LOST:
      return "lost: nothing heard within the lease; a restart or another machine can continue";
    case v1::PRESENCE_LEFT:
      return "left";
    default:
      return {};
  }
}

void tell_agents(const v1::StudyStatus& before, const v1::StudyStatus& now,
                 std::vector<std::string>& lines) {
  std::map<std::string, std::vector<std::uint32_t>> told;
  for (int i = 0; i < now.agent_status_size(); ++i) {
    const v1::AgentStatus fresh;
    const v1::AgentStatus& earlier =
        i < before.agent_status_size() ? before.agent_status(i) : fresh;
    const v1::AgentStatus& agent = now.agent_status(i);
    const std::string text = news(earlier, agent);
    if (!text.empty()) told[text].push_back(agent.agent());
    if (earlier.problem().empty() && !agent.problem().empty()) {
      told["a query failed: " + agent.problem()].push_back(agent.agent());
    }
  }
  for (const auto& [text, agents] : told) {
    lines.push_back(fmt::format("{} {}", agents_text(agents), text));
  }
}

}  // namespace

bool is_over(const v1::StudyStatus& status) { return status.state() != v1::STUDY_STATE_RUNNING; }

std::string closed_text(const v1::EpochStatus& epoch, std::uint32_t agents) {
  std::string text = fmt::format("epoch {} closed ({}): {} of {}", epoch.epoch(), epoch.why(),
                                 epoch.participants(), count_text(agents, "agent", "agents"));
  if (!epoch.excluded().empty()) {
    text += ", without " + agents_text({epoch.excluded().begin(), epoch.excluded().end()});
  }
  if (epoch.holes() > 0) text += "; " + count_text(epoch.holes(), "hole", "holes");
  return text + fmt::format("; {}, region {:.3g} % of the domain; {}",
                            count_text(epoch.inducing(), "inducing point", "inducing points"),
                            100 * epoch.region_fraction(), duration_text(epoch.seconds()));
}

std::vector<std::string> changes(const v1::StudyStatus* before, const v1::StudyStatus& now) {
  if (before == nullptr) return {state_line(now)};
  std::vector<std::string> lines;
  tell_agents(*before, now, lines);
  for (int i = before->closed_epochs_size(); i < now.closed_epochs_size(); ++i) {
    lines.push_back(closed_text(now.closed_epochs(i), now.agents()));
  }
  if (now.epoch() > before->epoch() && !is_over(now)) lines.push_back(state_line(now));
  if (now.problem() != before->problem() && now.state() != v1::STUDY_STATE_FAILED) {
    lines.push_back(now.problem().empty() ? "the problem is solved" : "problem: " + now.problem());
  }
  if (now.state() != before->state()) lines.push_back(state_line(now));
  return lines;
}

}  // namespace duets::cli
