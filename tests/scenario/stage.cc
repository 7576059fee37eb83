#include "stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "describe.h"
#include "duets/base/error.h"

namespace duets::scenario {
namespace {

using protocol::Agent;
using protocol::AgentId;
using protocol::EpochId;
using protocol::Message;

void append(Lines& lines, const Lines& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

// One hill at 0.3 in every coordinate and a ripple in place of noise: only sums and products, so
// rewards are the same bits everywhere.
double reward_at(const numeric::Points& latents, std::uint32_t agent, std::uint32_t epoch,
                 std::uint32_t slot) {
  double hill = 1;
  for (const double x : latents.row(slot)) hill = hill - 2 * ((x - 0.3) * (x - 0.3));
  const auto ripple = static_cast<double>((7 * agent + 5 * epoch + 3 * slot) % 11) - 5;
  return hill + ripple / 64;
}

const char* kind_name(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::kInvalid:
      return "invalid";
    case base::ErrorKind::kDecode:
      return "decode";
    case base::ErrorKind::kProtocol:
      return "protocol";
    case base::ErrorKind::kNumeric:
      return "numeric";
    case base::ErrorKind::kExhausted:
      return "exhausted";
    case base::ErrorKind::kDiverged:
      return "diverged";
    case base::ErrorKind::kPlatform:
      return "platform";
    case base::ErrorKind::kIo:
      return "io";
    case base::ErrorKind::kStorage:
    case base::ErrorKind::kConnection:
    case base::ErrorKind::kTimeout:
    case base::ErrorKind::kQuorum:
    case base::ErrorKind::kObjective:
      break;  // of hosts, never of the protocol
  }
  return "?";
}

void corrupt_upload(protocol::Upload& upload, const std::string& what) {
  if (what == "digest") {
    upload.points_digest ^= 1;
  } else if (what == "value") {
    upload.values.at(0) += 1;
  } else if (what == "nan") {
    upload.values.at(0) = std::numeric_limits<double>::quiet_NaN();
  } else if (what == "count") {
    upload.values.push_back(0);
  } else if (what == "epoch") {
    upload.epoch = base::next(upload.epoch);
  } else if (what == "agent") {
    upload.agent = AgentId{base::value(upload.agent) + 100};
  } else {
    throw std::runtime_error("corrupt what=" + what + ": no such damage");
  }
}

}  // namespace

Lines Stage::run(const std::string& line) {
  static const std::map<std::string, Answer> kCommands{
      {"study", &Stage::open_study}, {"start", &Stage::start},       {"deliver", &Stage::deliver},
      {"lose", &Stage::lose},        {"catch-up", &Stage::catch_up}, {"query", &Stage::query},
      {"send", &Stage::send},        {"again", &Stage::again},       {"drop", &Stage::drop},
      {"corrupt", &Stage::corrupt},  {"close", &Stage::close},       {"crash", &Stage::crash},
      {"epoch", &Stage::epoch},      {"status", &Stage::status}};
  const Command command(line);
  const auto found = kCommands.find(command.name());
  if (found == kCommands.end()) throw std::runtime_error("no such command: " + line);
  if (!coordinator_ && command.name() != "study") {
    throw std::runtime_error("a script begins with a study");
  }
  try {
    const Lines lines = (this->*found->second)(command);
    command.expect_all_used();
    return lines;
  } catch (const base::Error& error) {
    return {fmt::format("error {}: {}", kind_name(error.kind()), error.what())};
  }
}

std::uint32_t Stage::agent_of(const Command& command) const {
  const std::uint32_t agent = command.count("agent", 0xFFFFFFFFU);
  if (agent >= agents_.size()) throw std::runtime_error(command.name() + ": which agent?");
  return agent;
}

protocol::Agent Stage::make_agent(std::uint32_t agent) const {
  return {study_, AgentId{agent}, secret_.agent_coin(AgentId{agent}),
          std::make_shared<protocol::PublicView>(study_, secret_.public_coin(), executor_)};
}

std::optional<Message> Stage::give(std::uint32_t agent, const Input& input) {
  std::optional<Message> message = input(agents_[agent]);
  inputs_[agent].push_back(input);
  return message;
}

Lines Stage::open_study(const Command& command) {
  study_ = std::make_shared<const protocol::Study>(study_of(command));
  coordinator_.emplace(study_, secret_, executor_);
  agents_.clear();
  for (std::uint32_t a = 0; a < study_->agents; ++a) agents_.push_back(make_agent(a));
  inputs_.assign(study_->agents, {});
  journal_.clear();
  post_.assign(study_->agents, {});
  broadcasts_.clear();
  return {fmt::format("agents={} epochs={} digest={}", study_->agents,
                      join(protocol::lengths(*study_)),
                      base::to_hex(protocol::study_digest(*study_)))};
}

Lines Stage::carry(const protocol::Effects& effects) {
  for (const protocol::Record& record : effects.records) {
    journal_.push_back(protocol::encode_record(record));
  }
  for (const protocol::Outgoing& out : effects.messages) {
    if (!out.to) broadcasts_.push_back(out.message);
    for (std::uint32_t a = 0; a < post_.size(); ++a) {
      if (!out.to || *out.to == AgentId{a}) post_[a].down.push_back(out.message);
    }
  }
  return describe(effects);
}

Lines Stage::start(const Command&) { return carry(coordinator_->start()); }

Lines Stage::sent(std::uint32_t agent, const std::optional<Message>& message) {
  if (!message) return {};
  post_[agent].up = message;
  return {fmt::format("agent {} sends {}", agent, describe(*message))};
}

Lines Stage::deliver_to(std::uint32_t agent) {
  Lines lines;
  const std::vector<Message> waiting = std::move(post_[agent].down);
  post_[agent].down.clear();
  for (const Message& message : waiting) {
    const EpochId before = agents_[agent].plan().epoch;
    append(lines, sent(agent, give(agent, [message](Agent& a) { return a.receive(message); })));
    const protocol::Plan& plan = agents_[agent].plan();
    if (plan.epoch != before) {
      lines.push_back(fmt::format("agent {} begins epoch={} t={} points={} points-digest={:016x}",
                                  agent, base::value(plan.epoch), plan.first_t,
                                  plan.latents().rows(), protocol::points_digest(plan.latents())));
    }
  }
  if (lines.empty()) lines.push_back(fmt::format("agent {} took {}", agent, waiting.size()));
  return lines;
}

Lines Stage::deliver(const Command& command) {
  if (command.has("agent")) return deliver_to(agent_of(command));
  Lines lines;
  for (std::uint32_t a = 0; a < agents_.size(); ++a) append(lines, deliver_to(a));
  return lines;
}

Lines Stage::lose(const Command& command) {
  const std::uint32_t agent = agent_of(command);
  const std::size_t count = post_[agent].down.size();
  post_[agent].down.clear();
  return {fmt::format("{} lost on the way to agent {}", count, agent)};
}

Lines Stage::catch_up(const Command& command) {
  post_[agent_of(command)].down = broadcasts_;
  return {fmt::format("{} broadcasts wait again", broadcasts_.size())};
}

std::optional<Message> Stage::answer(std::uint32_t agent, std::uint32_t slot, bool hole) {
  if (hole) return give(agent, [slot](Agent& a) { return a.report_hole(slot); });
  const protocol::Plan& plan = agents_[agent].plan();
  if (slot >= plan.latents().rows()) throw std::runtime_error("query: no such slot");
  const double reward = reward_at(plan.latents(), agent, base::value(plan.epoch), slot);
  return give(agent, [slot, reward](Agent& a) { return a.report(slot, reward); });
}

Lines Stage::query(const Command& command) {
  const std::uint32_t agent = agent_of(command);
  const std::vector<std::uint32_t> holes = command.list("holes");
  std::vector<std::uint32_t> slots = command.list("slots");
  if (!command.has("slots")) {
    for (std::uint32_t s = 0; s < agents_[agent].plan().latents().rows(); ++s) slots.push_back(s);
  }
  Lines lines;
  for (const std::uint32_t slot : slots) {
    const bool hole = std::count(holes.begin(), holes.end(), slot) != 0;
    append(lines, sent(agent, answer(agent, slot, hole)));
  }
  if (lines.empty()) lines.push_back(fmt::format("agent {} sends nothing yet", agent));
  return lines;
}

Lines Stage::send_from(std::uint32_t agent) {
  if (!post_[agent].up) throw std::runtime_error("send: nothing to send");
  const Message message = *std::exchange(post_[agent].up, std::nullopt);
  return carry(coordinator_->receive(message));
}

Lines Stage::send(const Command& command) {
  if (command.has("agent")) return send_from(agent_of(command));
  Lines lines;
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    if (post_[a].up) append(lines, send_from(a));
  }
  return lines;
}

Lines Stage::again(const Command& command) {
  const auto& outstanding = agents_[agent_of(command)].outstanding();
  if (!outstanding) return {"nothing is outstanding"};
  return carry(coordinator_->receive(*outstanding));
}

Lines Stage::drop(const Command& command) {
  const std::uint32_t agent = agent_of(command);
  if (!post_[agent].up) throw std::runtime_error("drop: nothing to drop");
  post_[agent].up.reset();
  return {fmt::format("lost on the way from agent {}", agent)};
}

Lines Stage::corrupt(const Command& command) {
  const std::uint32_t agent = agent_of(command);
  std::optional<Message>& up = post_[agent].up;
  if (!up) up = agents_[agent].outstanding();
  if (!up) throw std::runtime_error("corrupt: nothing to corrupt");
  corrupt_upload(std::get<protocol::Upload>(*up), command.text("what", ""));
  return {describe(*up)};
}

Lines Stage::close(const Command& command) {
  std::vector<AgentId> agents;
  for (const std::uint32_t a : command.list("agents")) agents.push_back(AgentId{a});
  return carry(coordinator_->close(EpochId{command.count("epoch", 0)}, agents));
}

Lines Stage::crash(const Command& command) {
  if (command.has("agent")) {
    const std::uint32_t a = agent_of(command);
    agents_[a] = make_agent(a);
    for (const Input& input : inputs_[a]) input(agents_[a]);
    return {fmt::format("agent {} goes on from {} inputs", a, inputs_[a].size())};
  }
  command.text("coordinator", "");
  coordinator_.emplace(protocol::Coordinator::replay(study_, secret_, executor_, journal_));
  return {fmt::format("coordinator goes on from {} records", journal_.size())};
}

Lines Stage::epoch(const Command&) {
  Lines lines;
  for (std::uint32_t a = 0; a < agents_.size(); ++a) deliver_to(a);
  for (std::uint32_t a = 0; a < agents_.size(); ++a) {
    std::optional<Message> message;
    for (std::uint32_t slot = 0; slot < agents_[a].plan().latents().rows(); ++slot) {
      message = answer(a, slot, false);
    }
    if (message) append(lines, carry(coordinator_->receive(*message)));
  }
  return lines;
}

Lines Stage::status(const Command&) {
  const auto& best = coordinator_->summary().best_trial();
  const auto recommendation = coordinator_->summary().recommendation();
  Lines lines{
      fmt::format("epoch={} {} waiting-for={} complete={}", base::value(coordinator_->epoch()),
                  coordinator_->finished() ? "finished" : "open", join(coordinator_->waiting_for()),
                  coordinator_->summary().participation().empty() ? "yes" : "no"),
      "run-digest=" + base::to_hex(coordinator_->summary().run_digest())};
  lines.push_back(recommendation ? fmt::format("recommendation of epoch={} mean={:.6g} +- {:.6g}",
                                               base::value(recommendation->epoch),
                                               recommendation->mean, recommendation->half_width)
                                 : "recommendation none");
  lines.push_back(best ? fmt::format("best trial agent={} epoch={} slot={} reward={:.17g}",
                                     base::value(best->agent), base::value(best->epoch), best->slot,
                                     best->reward)
                       : "best trial none");
  return lines;
}

}  // namespace duets::scenario
