#include "duets/service/study_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace duets::service {
namespace {

constexpr std::size_t kNamedOnWire = 100;
constexpr std::size_t kNamedInText = 8;

// `named` are the first of `count` missing agents.
std::string text_of(std::uint32_t epoch, std::vector<std::uint32_t> named, std::size_t count,
                    double seconds) {
  if (named.empty()) return {};
  named.resize(std::min(named.size(), kNamedInText));
  const std::size_t rest = count > named.size() ? count - named.size() : 0;
  return fmt::format("waiting for agent{} {}{} in epoch {}, since {:.0f} s", count > 1 ? "s" : "",
                     fmt::join(named, ", "), rest > 0 ? fmt::format(" (and {} more)", rest) : "",
                     epoch, std::max(0.0, std::floor(seconds)));
}

}  // namespace

std::vector<std::uint32_t> holding_up(const StudyStatus& status) {
  std::vector<std::uint32_t> idle;
  std::vector<std::uint32_t> measuring;
  bool any_uploaded = false;
  for (const AgentStatus& agent : status.agent_status) {
    any_uploaded = any_uploaded || agent.uploaded;
    if (agent.uploaded || agent.retired) continue;
    (agent.presence == Presence::kLive ? measuring : idle).push_back(agent.agent);
  }
  if (status.state != StudyState::kRunning) return {};
  return idle.empty() && measuring.size() == 1 && any_uploaded ? measuring : idle;
}

std::string waiting_text(const StudyStatus& status) {
  const std::vector<std::uint32_t> agents = holding_up(status);
  return text_of(status.epoch, agents, agents.size(), status.epoch_seconds);
}

std::string waiting_text(const v1::Waiting& waiting) {
  const auto count = static_cast<std::size_t>(waiting.agents_size());
  const int shown = static_cast<int>(std::min(count, kNamedInText));
  const auto first = waiting.agents().begin();
  return text_of(waiting.epoch(), {first, first + shown},
                 std::max<std::size_t>(count, waiting.num_agents()), waiting.seconds());
}

v1::Waiting waiting_to_wire(std::uint32_t epoch, const std::vector<std::uint32_t>& missing,
                            double seconds) {
  v1::Waiting wire;
  wire.set_epoch(epoch);
  const auto count = static_cast<std::ptrdiff_t>(std::min(missing.size(), kNamedOnWire));
  wire.mutable_agents()->Add(missing.begin(), missing.begin() + count);
  wire.set_num_agents(static_cast<std::uint32_t>(missing.size()));
  wire.set_seconds(seconds);
  return wire;
}

}  // namespace duets::service
