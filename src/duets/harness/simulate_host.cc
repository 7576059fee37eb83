#include "duets/harness/simulate_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/replay.h"

namespace duets::harness {
namespace {

// So many units are answered, shown and forgotten together: enough for many threads, little beside
// the points themselves.
constexpr std::size_t kUnitsPerWave = 16;

// A share of this many units is all of them for a process that is alone, and for no other.
bool is_alone(const base::Executor& executor) {
  constexpr std::size_t kMany = 1 << 20;
  return executor.share(kMany).size() == kMany;
}

void require_taken(const protocol::Refusal& refusal) {
  const bool diverged = refusal.reason == protocol::Reason::kDiverged;
  throw base::Error(
      diverged ? base::ErrorKind::kDiverged : base::ErrorKind::kProtocol,
      fmt::format("agent {}, epoch {}: {}", base::value(refusal.agent), base::value(refusal.epoch),
                  diverged ? std::string("the coordinator replays other points than this agent "
                                         "drew")
                           : fmt::format("the coordinator refused its message: {}",
                                         protocol::to_string(refusal.reason))));
}

}  // namespace

SimulationHost::SimulationHost(const Simulation& simulation, const base::Executor& executor,
                               Observer& observer)
    : sim_(simulation),
      study_(*simulation.study),
      executor_(executor),
      observer_(observer),
      secret_(simulation.secret.value_or(random::StudySecret::from_seed(simulation.seed))),
      problem_coin_(random::StudySecret::from_seed(simulation.seed).problem_coin()),
      lengths_(protocol::lengths(study_)),
      units_(executor.share(protocol::num_units(study_))),
      mine_(protocol::agents_of_units(study_, units_)),
      coordinator_(simulation.study, secret_, executor),
      optimum_(simulation.reference ? *simulation.reference : best_value(simulation, executor)),
      ledger_(study_.agents),
      regret_(study_.agents, study_.horizon, optimum_),
      view_(std::make_shared<protocol::PublicView>(simulation.study, secret_.public_coin(),
                                                   executor)) {
  if (sim_.picture) {
    picture_ = PictureRecorder(*study_.domain, std::uint64_t{study_.agents} * study_.horizon);
  }
}

RunResult SimulationHost::run() {
  const protocol::Effects first = coordinator_.start();
  make_agents();
  carry_out(first);
  while (!coordinator_.finished()) run_epoch();
  return result();
}

// Few agents are one after the other, so that each may use all threads.
void SimulationHost::for_each_agent(const std::function<void(std::size_t index)>& body) const {
  if (units_.size() <= 1) {
    for (std::size_t i = 0; i < agents_.size(); ++i) body(i);
    return;
  }
  executor_.parallel_for(units_.size(), [&](std::size_t i) {
    const std::size_t unit = units_.begin + i;
    const base::UnitRange agents = protocol::agents_of_units(study_, {unit, unit + 1});
    for (std::size_t a = agents.begin; a < agents.end; ++a) body(a - mine_.begin);
  });
}

void SimulationHost::make_agents() {
  agents_.resize(mine_.size());
  for_each_agent([&](std::size_t i) {
    const AgentId id{static_cast<std::uint32_t>(mine_.begin + i)};
    protocol::DrawnPoints drawn;
    if (sim_.points == AgentPoints::kShared) {
      // An agent opens an epoch when the coordinator has.
      drawn = [this, id](EpochId epoch) {
        return epoch == coordinator_.epoch() ? coordinator_.points(id) : nullptr;
      };
    }
    agents_[i].emplace(sim_.study, id, secret_.agent_coin(id), view_, std::move(drawn));
  });
}

const EpochAbsence& SimulationHost::absence() const {
  static const EpochAbsence kNobody;
  const auto found = sim_.participation.find(base::value(coordinator_.epoch()));
  return found == sim_.participation.end() ? kNobody : found->second;
}

// All agents query their plan; uploads go up in agent order.
void SimulationHost::run_epoch() {
  const EpochId epoch = coordinator_.epoch();
  const EpochAbsence& away = absence();
  const auto end = lengths_.begin() + base::value(epoch);
  regret_.expect(std::accumulate(lengths_.begin(), end, std::uint64_t{0}));
  num_unheard_ = study_.agents - away.excluded.size();
  if (is_alone(executor_)) {
    query_in_waves(away);
  } else {
    query_and_gather(away);
  }
  if (away.excluded.empty()) return;
  std::vector<AgentId> participants;
  for (std::uint32_t a = 0; a < study_.agents; ++a) {
    if (!away.excluded.contains(a)) participants.push_back(AgentId{a});
  }
  carry_out(coordinator_.close(epoch, participants));
}

std::vector<Answers> SimulationHost::query_unit(std::size_t unit, const EpochAbsence& away) {
  static const std::vector<std::uint32_t> kNone;
  std::vector<Answers> all;
  const base::UnitRange agents = protocol::agents_of_units(study_, {unit, unit + 1});
  for (std::size_t a = agents.begin; a < agents.end; ++a) {
    const auto number = static_cast<std::uint32_t>(a);
    if (away.excluded.contains(number)) continue;
    const auto holes = away.holes.find(number);
    all.push_back(query_plan(sim_, problem_coin_, picture_.thinning(),
                             holes == away.holes.end() ? kNone : holes->second,
                             *agents_[a - mine_.begin]));
  }
  return all;
}

void SimulationHost::query_in_waves(const EpochAbsence& away) {
  const std::size_t num_units = units_.size();
  for (std::size_t first = 0; first < num_units; first += kUnitsPerWave) {
    std::vector<std::vector<Answers>> wave(std::min(kUnitsPerWave, num_units - first));
    executor_.parallel_for(wave.size(),
                           [&](std::size_t i) { wave[i] = query_unit(first + i, away); });
    for (std::vector<Answers>& unit : wave) take(std::move(unit));
  }
}

void SimulationHost::query_and_gather(const EpochAbsence& away) {
  std::vector<base::Bytes> mine(units_.size());
  executor_.parallel_for(mine.size(), [&](std::size_t i) {
    mine[i] = encode_answers(query_unit(units_.begin + i, away));
  });
  std::vector<base::Bytes> all = executor_.gather(protocol::num_units(study_), std::move(mine));
  for (base::Bytes& unit : all) {
    take(decode_answers(unit));
    unit = {};
  }
}

// Everything but the messages is told and gone before the last of them closes the epoch.
void SimulationHost::take(std::vector<Answers> unit) {
  std::vector<std::pair<AgentId, protocol::Message>> messages;
  for (Answers& answers : unit) {
    show(answers);
    if (answers.message) messages.emplace_back(answers.agent, *std::move(answers.message));
    answers = {};
  }
  for (const auto& [agent, message] : messages) {
    if (--num_unheard_ == 0) observer_.exchange_began(base::value(coordinator_.epoch()));
    deliver_up(message, agent);
  }
}

void SimulationHost::show(const Answers& answers) {
  const std::uint32_t agent = base::value(answers.agent);
  for (std::uint32_t slot = 0; slot < answers.truth.size(); ++slot) {
    if (std::isnan(answers.truth[slot])) continue;
    regret_.add(answers.agent, answers.first_t + slot, sign() * answers.truth[slot]);
  }
  Trial trial;
  trial.agent = agent;
  trial.epoch = base::value(answers.epoch);
  for (std::size_t i = 0; i < answers.shown.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    trial.slot = answers.shown[i];
    trial.t = answers.first_t + trial.slot;
    if (picture_.thinning().keeps(agent, trial.t)) {
      picture_.point(answers.shown_latents, row, trial.epoch);
    }
    if (!sim_.trials.keeps(agent, trial.t)) continue;
    const double truth = answers.truth[trial.slot];
    trial.hole = std::isnan(truth);
    trial.value = trial.hole ? 0 : answers.shown_values[i];
    trial.regret = trial.hole ? 0 : optimum_ - sign() * truth;
    trial.values =
        study_.domain->values({answers.shown_latents.row(row).data(), study_.domain->dimension()});
    observer_.trial(trial);
  }
  observer_.queries_done(answers.truth.size());
}

void SimulationHost::deliver_up(const protocol::Message& message, AgentId agent) {
  const std::uint64_t reals = protocol::num_reals(message);
  const std::uint64_t bytes = protocol::encode(message).size();
  if (std::holds_alternative<protocol::Closing>(message)) {
    ledger_.closing_uplink(agent, reals, bytes);
  } else {
    ledger_.uplink(agent, reals, bytes);
  }
  carry_out(coordinator_.receive(message));
}

void SimulationHost::carry_out(const protocol::Effects& effects) {
  for (const protocol::Event& event : effects.events) {
    const auto* refused = std::get_if<protocol::MessageRefused>(&event);
    if (refused != nullptr) require_taken(refused->refusal);
  }
  for (const protocol::Outgoing& outgoing : effects.messages) deliver_down(outgoing);
  for (const protocol::Event& event : effects.events) {
    if (const auto* began = std::get_if<protocol::EpochBegan>(&event)) {
      observer_.epoch_began(base::value(began->epoch), began->length);
    } else if (const auto* ended = std::get_if<protocol::EpochEnded>(&event)) {
      if (ended->has_report) observer_.epoch_ended(ended->report);
    }
  }
}

void SimulationHost::deliver_down(const protocol::Outgoing& outgoing) {
  const std::uint64_t reals = protocol::num_reals(outgoing.message);
  const std::uint64_t bytes = protocol::encode(outgoing.message).size();
  const auto* inducing = std::get_if<protocol::InducingSet>(&outgoing.message);
  const auto* trim = std::get_if<protocol::Trim>(&outgoing.message);
  if (inducing != nullptr && inducing->closing) {
    ledger_.closing_broadcast(reals, bytes);
  } else {
    ledger_.broadcast(reals, bytes);
  }
  // The view that the agents share takes a broadcast once, before they do so side by side.
  if (inducing != nullptr) view_->apply(*inducing);
  if (trim != nullptr) view_->apply(*trim);
  for_each_agent([&](std::size_t i) { agents_[i]->receive(outgoing.message); });
  if (trim == nullptr) return;
  const auto end = lengths_.begin() + base::value(trim->epoch);
  mark(std::accumulate(lengths_.begin(), end, std::uint32_t{0}));
}

void SimulationHost::mark(std::uint32_t t) {
  ledger_.mark(t);
  const problems::LedgerTotals totals = ledger_.totals();
  CommunicationPoint point;
  point.epoch = static_cast<std::uint32_t>(communication_.size() + 1);
  point.t = t;
  point.paper = totals.paper;
  point.figure = static_cast<double>(totals.figure);
  point.links = static_cast<double>(totals.links);
  point.closing = static_cast<double>(totals.closing);
  point.bytes = totals.bytes + totals.closing_bytes;
  communication_.push_back(point);
}

}  // namespace duets::harness
