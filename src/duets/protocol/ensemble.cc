#include "duets/protocol/ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/replay.h"

namespace duets::protocol {
namespace {

// One process answers, notes and forgets so many units together: enough for many threads, little
// beside the points themselves.
constexpr std::size_t kUnitsPerWave = 16;

void require_taken(const Effects& effects) {
  for (const Event& event : effects.events) {
    const auto* refused = std::get_if<MessageRefused>(&event);
    if (refused == nullptr) continue;
    const Refusal& refusal = refused->refusal;
    const bool diverged = refusal.reason == Reason::kDiverged;
    throw base::Error(
        diverged ? base::ErrorKind::kDiverged : base::ErrorKind::kProtocol,
        fmt::format("agent {}, epoch {}: {}", base::value(refusal.agent),
                    base::value(refusal.epoch),
                    diverged ? "the coordinator replays other points than this agent drew"
                             : fmt::format("the coordinator refused its message: {}",
                                           base::name_of(refusal.reason))));
  }
}

void set_holes(const EpochAbsence& away, std::uint32_t agent, std::vector<double>& rewards) {
  const auto holes = away.holes.find(agent);
  if (holes == away.holes.end()) return;
  for (const std::uint32_t slot : holes->second) {
    rewards.at(slot) = std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

std::optional<Message> answer_slot(Agent& agent, std::uint32_t slot, double reward) {
  return std::isnan(reward) ? agent.report_hole(slot) : agent.report(slot, reward);
}

std::optional<Message> answer_plan(Agent& agent, const std::vector<double>& rewards) {
  if (rewards.empty()) return agent.outstanding();
  std::optional<Message> message;
  for (std::uint32_t slot = 0; slot < rewards.size(); ++slot) {
    message = answer_slot(agent, slot, rewards[slot]);
  }
  return message;
}

Ensemble::Ensemble(std::shared_ptr<const Study> study, const random::StudySecret& secret,
                   const base::Executor& executor, Sharing sharing, Sink sink)
    : study_(std::move(study)),
      secret_(secret),
      executor_(executor),
      sharing_(sharing),
      sink_(std::move(sink)),
      units_(executor.share(num_units(*study_))),
      mine_(agents_of_units(*study_, units_)),
      coordinator_(std::in_place, study_, secret, executor),
      view_(std::make_shared<PublicView>(study_, secret.public_coin(), executor)) {}

Effects Ensemble::start() {
  Effects effects = coordinator_->start();
  make_agents();
  return carry_out(std::move(effects));
}

// An epoch's end must find what its agents answered: their best trials, and with data =
// "surviving" their rewards.
void Ensemble::resume(std::span<const base::Bytes> records, const Recalling& recall) {
  restart(records);
  make_agents();
  const auto recall_all = [&] {
    for (std::optional<Agent>& agent : agents_) recall(*agent);
  };
  for (const base::Bytes& bytes : records) {
    const Record record = decode_record(bytes);
    if (std::holds_alternative<EpochClosed>(record)) recall_all();
    for (const Message& message : broadcasts(*study_, record)) send({std::nullopt, message});
  }
  if (!finished()) recall_all();
  carry_out(coordinator_->resume());
}

// Few agents are one after the other, so that each may use all threads.
void Ensemble::for_each_agent(const std::function<void(std::size_t index)>& body) const {
  if (units_.size() <= 1) {
    for (std::size_t i = 0; i < agents_.size(); ++i) body(i);
    return;
  }
  executor_.parallel_for(units_.size(), [&](std::size_t i) {
    const std::size_t unit = units_.begin + i;
    const base::UnitRange agents = agents_of_units(*study_, {unit, unit + 1});
    for (std::size_t a = agents.begin; a < agents.end; ++a) body(a - mine_.begin);
  });
}

void Ensemble::make_agents() {
  agents_.resize(mine_.size());
  for_each_agent([&](std::size_t i) {
    const AgentId id{static_cast<std::uint32_t>(mine_.begin + i)};
    DrawnPoints drawn;
    if (sharing_ == Sharing::kPoints) {
      // An agent opens an epoch when the coordinator has.
      drawn = [this, id](EpochId epoch) {
        const bool open = coordinator_->is_open() && epoch == coordinator_->epoch();
        return open ? coordinator_->points(id) : nullptr;
      };
    }
    const auto view = sharing_ == Sharing::kNothing
                          ? std::make_shared<PublicView>(study_, secret_.public_coin(), executor_)
                          : view_;
    agents_[i].emplace(study_, id, secret_.agent_coin(id), view, std::move(drawn));
  });
}

base::Bytes Ensemble::answer_unit(std::size_t unit, const EpochAbsence& away,
                                  const Answering& answer) {
  base::ByteWriter out;
  const base::UnitRange agents = agents_of_units(*study_, {unit, unit + 1});
  for (std::size_t a = agents.begin; a < agents.end; ++a) {
    const auto number = static_cast<std::uint32_t>(a);
    if (away.excluded.contains(number)) continue;
    PlanAnswers answers = answer(agent(number));
    set_holes(away, number, answers.rewards);
    const std::optional<Message> message = answer_plan(agent(number), answers.rewards);
    out.blob(message ? encode(*message) : base::Bytes{});
    out.blob(answers.notes);
  }
  return out.take();
}

// All that was noted is passed on before the last message closes the epoch.
void Ensemble::take_unit(std::span<const std::uint8_t> bytes, const Noting& note) {
  base::ByteReader in(bytes);
  std::vector<base::Bytes> messages;
  while (in.remaining() > 0) {
    messages.push_back(in.blob());
    const base::Bytes notes = in.blob();
    if (note) note(notes);
  }
  for (const base::Bytes& message : messages) {
    if (!message.empty()) take(decode(message));
  }
}

void Ensemble::take(const Message& message) {
  Effects effects = coordinator_->receive(message);
  require_taken(effects);
  carry_out(std::move(effects));
}

// The last of these messages may end the epoch, and with it what the agents have to send.
void Ensemble::catch_up() {
  for (const AgentId id : coordinator_->waiting_for()) {
    if (const std::optional<Message> message = agent(base::value(id)).outstanding()) take(*message);
  }
}

void Ensemble::run_epoch(const EpochAbsence& away, const Answering& answer, const Noting& note) {
  const EpochId epoch = coordinator_->epoch();
  const std::size_t all = num_units(*study_);
  // Several processes exchange the answers of an epoch at once.
  const std::size_t wave = executor_.num_processes() == 1 ? kUnitsPerWave : all;
  for (std::size_t first = 0; first < all; first += wave) {
    const std::size_t count = std::min(wave, all - first);
    const base::UnitRange share = executor_.share(count);
    std::vector<base::Bytes> units(share.size());
    executor_.parallel_for(units.size(), [&](std::size_t i) {
      units[i] = answer_unit(first + share.begin + i, away, answer);
    });
    units = executor_.gather(count, std::move(units));
    for (base::Bytes& unit : units) {
      take_unit(unit, note);
      unit = {};
    }
  }
  if (away.excluded.empty()) return;
  std::vector<AgentId> participants;
  for (std::uint32_t a = 0; a < study_->agents; ++a) {
    if (!away.excluded.contains(a)) participants.push_back(AgentId{a});
  }
  close(epoch, participants);
}

void Ensemble::run(const Answering& answer, const Participation& participation) {
  while (!finished()) {
    run_epoch(absence_in(participation, base::value(coordinator_->epoch())), answer);
  }
}

Effects Ensemble::carry_out(Effects effects) {
  if (sink_) sink_(effects);
  for (const Outgoing& outgoing : effects.messages) send(outgoing);
  return effects;
}

void Ensemble::send(const Outgoing& outgoing) {
  // A view that agents share takes a broadcast once, before they do so side by side.
  if (sharing_ != Sharing::kNothing) view_->apply(outgoing.message);
  for_each_agent([&](std::size_t i) {
    if (!outgoing.to || *outgoing.to == agents_[i]->id()) agents_[i]->receive(outgoing.message);
  });
}

}  // namespace duets::protocol
