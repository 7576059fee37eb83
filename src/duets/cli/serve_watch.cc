#include "duets/cli/serve_watch.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/error.h"
#include "duets/cli/status_events.h"
#include "duets/service/study_status.h"
#include "duets/v1/duets.pb.h"

namespace duets::cli {
namespace {

constexpr auto kWaitingEvery = std::chrono::seconds(60);

}  // namespace

Reach reach_of(const v1::StudyStatus& status) {
  Reach reach;
  reach.needed = status.quorum() == 0 ? status.agents() : status.quorum();
  for (const v1::AgentStatus& agent : status.agent_status()) {
    if (agent.retired()) continue;
    if (agent.uploaded() || agent.presence() == v1::PRESENCE_LIVE) ++reach.agents;
  }
  return reach;
}

std::optional<v1::StudyStatus> status_of(const service::Server& server, const std::string& name) {
  try {
    return server.status(name);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kInvalid) throw;
    return std::nullopt;
  }
}

bool ServeWatch::look() {
  const std::vector<std::string> names = server_.names();
  std::erase_if(seen_, [&](const auto& entry) {
    return !std::binary_search(names.begin(), names.end(), entry.first);
  });
  bool any_running = false;
  for (const std::string& name : names) {
    Seen& seen = seen_[name];
    if (seen.over) continue;
    const std::optional<v1::StudyStatus> status = status_of(server_, name);
    if (!status) continue;
    seen.over = is_over(*status);
    if (seen.over) continue;
    any_running = true;
    tell_waiting(*status, seen);
    check_quorum(*status, seen);
  }
  return any_running;
}

void ServeWatch::tell_waiting(const v1::StudyStatus& status, Seen& seen) {
  if (status.epoch() != seen.epoch) seen.told = Clock::now();
  seen.epoch = status.epoch();
  if (Clock::now() - seen.told < kWaitingEvery) return;
  seen.told = Clock::now();
  const std::string text = service::waiting_text(status);
  if (!text.empty()) log_({.message = text, .study = status.study()});
}

void ServeWatch::check_quorum(const v1::StudyStatus& status, Seen& seen) const {
  const Reach reach = reach_of(status);
  if (reach.enough()) {
    seen.unreachable.reset();
    return;
  }
  if (!seen.unreachable) seen.unreachable = Clock::now();
  const std::chrono::duration<double> lasted = Clock::now() - *seen.unreachable;
  if (give_up_ <= 0 || lasted.count() < give_up_) return;
  throw GaveUp(fmt::format(
      "only {} of the {} agents that epoch {} of study {} needs could be reached for {} s",
      reach.agents, reach.needed, status.epoch(), status.study(), give_up_));
}

}  // namespace duets::cli
