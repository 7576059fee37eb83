#include "duets/service/local_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "duets/base/error.h"
#include "duets/protocol/outlook.h"
#include "duets/service/agent_query.h"
#include "duets/service/study_board.h"

namespace duets::service {
namespace {

using storage::StorageError;

// How the program is run is no part of the study: a mistake there can be mended.
const std::vector<std::string_view> kMayChange{
    "objective.command",   "objective.timeout", "objective.retries",  "coordinator.listen",
    "coordinator.storage", "coordinator.tls",   "coordinator.quorum", "coordinator.deadline"};

// How long answers may wait for the disk: programs that take longer lose none to a power failure.
constexpr double kSyncSeconds = 1;

void require_samples(const Definition& definition, const LocalOptions& options) {
  base::require(std::isfinite(options.until_gain) && options.until_gain >= 0, "until_gain",
                fmt::format("{}", options.until_gain), "must be positive, or 0 for no early end");
  base::require(options.until_gain == 0 || definition.study->cut == protocol::CutRule::kDecision,
                "until_gain", fmt::format("{}", options.until_gain),
                "needs duets.cut = \"decision\" (goal = \"find\"), whose samples say what can be "
                "expected");
}

// With the horizon of the options.
Definition new_definition(const Definition& definition, const LocalOptions& options) {
  if (options.horizon == 0) return definition;
  protocol::Study study = *definition.study;
  study.horizon = options.horizon;
  protocol::validate(study);
  return with_study(definition, study);
}

bool is_taken(const protocol::Record& record) {
  return std::holds_alternative<protocol::MessageTaken>(record);
}

}  // namespace

void require_new_study(const Definition& definition, const LocalOptions& options) {
  require_samples(definition, options);
  const std::vector<std::uint32_t>& ended = definition.study->ended_after;
  base::require(ended.empty(), "study.ended_after", fmt::format("[{}]", fmt::join(ended, ", ")),
                "is of a study that was ended early, whose queries cannot be asked again: for a "
                "new one remove it, and earlier_horizons");
  new_definition(definition, options);
}

LocalStudy::LocalStudy(Definition definition, LocalOptions options, const base::Executor& executor)
    : definition_(std::move(definition)), options_(std::move(options)), executor_(executor) {
  require_samples(definition_, options_);
  open_storage(options_.secret_text);
  begin();
}

// From what is stored: at the start, and when the definition has changed.
void LocalStudy::begin() {
  answers_.reset();
  answers_.emplace(AnswerJournal::open_or_make(answers_path(options_.storage), definition_));
  read_answers();
  held_.clear();
  ends_ = false;
  ensemble_.emplace(definition_.study, stored_secret(options_.storage, definition_.study->name),
                    executor_, protocol::Sharing::kPoints,
                    [this](const protocol::Effects& effects) { persist(effects); });
  const std::vector<base::Bytes> before = records_;  // persist() adds to the list
  ensemble_->resume(before, [this](protocol::Agent& agent) { recall(agent); });
  settle();
}

void LocalStudy::open_storage(const std::string& secret_text) {
  make_storage(options_.storage);
  store_ = storage::open_store(store_path(options_.storage), storage::Access::kWrite);
  const std::string& name = definition_.study->name;
  const std::vector<std::string> names = store_->names();
  if (names.empty()) {
    require_new_study(definition_, options_);
    definition_ = new_definition(definition_, options_);
    journal_.emplace(create_study(*store_, options_.storage, definition_, secret_text));
  } else {
    base::require(names.size() == 1 && names.front() == name, "study.name", name,
                  fmt::format("{} has another study, {}; {}", options_.storage.string(),
                              names.front(), options_.way_out));
    journal_.emplace(*store_, name);
  }
  StoredStudy stored = journal_->load();
  const std::uint32_t given = definition_.study->horizon;
  definition_ = with_stages_of(stored.definition, definition_);
  require_same_study(options_.storage, stored.definition, definition_, secret_text,
                     {kMayChange, options_.way_out});
  wanted_ = wanted_horizon(*stored.definition.study, given);
  if (stored.definition.toml != definition_.toml) journal_->set_definition(definition_);
  notes_ = std::move(stored.epochs);
  records_ = std::move(stored.records);
}

// A horizon that the study had before is that of a file, which does not change. After an early end
// any horizon above the queries made is an extension.
std::uint32_t LocalStudy::wanted_horizon(const protocol::Study& stored, std::uint32_t given) const {
  const bool explicitly = options_.horizon > 0;
  const std::uint32_t wanted = explicitly ? options_.horizon : given;
  if (wanted == stored.horizon || (!explicitly && options_.keeps_horizon)) return 0;
  if (!explicitly && std::ranges::count(stored.earlier_horizons, wanted) > 0) return 0;
  const std::uint32_t made = protocol::num_queries_each(stored);
  base::require(wanted > made, explicitly ? "horizon" : "study.horizon", fmt::format("{}", wanted),
                fmt::format("the study in {} ends at {} queries per agent: it can be extended, "
                            "not shortened; {}",
                            options_.storage.string(), made, options_.way_out));
  return wanted;
}

void LocalStudy::set_study(const protocol::Study& study) {
  definition_ = with_study(definition_, study);
  writing([&] { journal_->set_definition(definition_); });
}

void LocalStudy::read_answers() {
  trials_.clear();
  for (AgentAnswer& entry : answers_->answers()) {
    if (entry.agent >= definition_.study->agents) {
      throw StorageError(StorageError::Cause::kDamaged,
                         fmt::format("{}: it has an answer of agent {}, which the study does not "
                                     "have",
                                     answers_path(options_.storage).string(), entry.agent));
    }
    trials_.push_back(journal_trial(definition_, entry.agent, entry.answer));
    has_reward_ = has_reward_ || entry.answer.kind != JournalTrial::Kind::kHole;
    known_[{entry.answer.epoch, entry.agent}].push_back(std::move(entry.answer));
  }
}

void LocalStudy::recall(protocol::Agent& agent) {
  const auto found = known_.find({base::value(agent.plan().epoch), base::value(agent.id())});
  if (found == known_.end()) return;
  for (const JournalAnswer& answer : found->second) {
    require_same_point(agent, answer);
    protocol::answer_slot(agent, answer.slot, reward_of(definition_, answer));
  }
}

void LocalStudy::begin_epoch() {
  desks_epoch_ = epoch();
  const std::uint32_t length = protocol::lengths(*definition_.study)[desks_epoch_ - 1];
  desks_.assign(definition_.study->agents, {std::vector(length, Slot::kOpen), length});
  num_unanswered_ = std::uint64_t{length} * desks_.size();
  for (std::uint32_t agent = 0; agent < desks_.size(); ++agent) {
    const auto known = known_.find({desks_epoch_, agent});
    if (known == known_.end()) continue;
    for (const JournalAnswer& answer : known->second) {
      Slot& slot = desks_[agent].slots.at(answer.slot);
      if (slot != Slot::kOpen) continue;
      slot = Slot::kAnswered;
      --desks_[agent].num_open;
      --num_unanswered_;
    }
  }
}

// Answers may be there for epochs that the records do not have: the storage of an earlier state
// with the answers of a later one. They are measured, so the records are made again. An epoch
// without queries is over at once.
void LocalStudy::settle() {
  while (!ensemble_->finished() && !ends_) {
    for (std::uint32_t a = 0; a < definition_.study->agents; ++a) recall(ensemble_->agent(a));
    begin_epoch();
    ensemble_->catch_up();
    if (epoch() == desks_epoch_) break;
  }
  known_.clear();
  go_on();
}

// What the definition says of the end, or now has to say.
void LocalStudy::go_on() {
  const protocol::Study& study = *definition_.study;
  if (ends_) return begin();
  if (!finished()) {
    if (!study.ended_after.empty() && study.ended_after.back() == epoch()) leave_open_queries();
  } else if (wanted_ > protocol::num_queries_each(study)) {
    set_study(protocol::extended(study, wanted_));
    begin();
  }
}

void LocalStudy::leave_open_queries() {
  std::vector<Told> rest;
  for (std::uint32_t agent = 0; agent < desks_.size(); ++agent) {
    for (std::uint32_t slot = 0; slot < desks_[agent].slots.size(); ++slot) {
      if (desks_[agent].slots[slot] == Slot::kAnswered) continue;
      rest.push_back({query_of(*definition_.study, ensemble_->agent(agent), slot),
                      Failure{"not asked: the study was ended early", ""}, 0});
    }
  }
  tell(rest);
}

// The definition first: an epoch that was ended early is ended again after a crash.
void LocalStudy::end() {
  if (finished()) return;
  if (!has_reward_) {
    base::refuse("end", "now", "no query has been answered: there is nothing to recommend");
  }
  wanted_ = 0;
  const base::EpochId open{desks_epoch_};
  if (protocol::closes(*definition_.study, open)) return leave_open_queries();
  set_study(protocol::ended_early(*definition_.study, open));
  begin();
}

template <class Write>
void LocalStudy::writing(const Write& write) {
  while (true) {
    try {
      return write();
    } catch (const StorageError& error) {
      const bool may_pass = error.cause() == StorageError::Cause::kUnwritable;
      if (!may_pass || !options_.try_again || !options_.try_again(error)) throw;
    }
  }
}

bool LocalStudy::expects_enough(const protocol::EpochClosed& closed) {
  const protocol::Study& study = *definition_.study;
  const bool ends_anyway =
      protocol::closes(study, closed.epoch) ||
      (!study.ended_after.empty() && study.ended_after.back() == base::value(closed.epoch));
  if (options_.until_gain == 0 || ends_anyway) return true;
  const std::uint32_t epoch = base::value(closed.epoch);
  expected_gain_ = gain_after(epoch);
  // Early models are often too sure: two epochs in a row have to say so. The one before is computed
  // again, so that a run that went on after a crash ends where it would have ended.
  const auto is_little = [&](const std::optional<double>& gain) {
    return gain && *gain < options_.until_gain;
  };
  return !is_little(expected_gain_) || epoch == 1 || !is_little(gain_after(epoch - 1));
}

std::optional<double> LocalStudy::gain_after(std::uint32_t epoch) const {
  const auto& reports = summary().epochs();
  const auto report =
      std::ranges::find(reports, base::EpochId{epoch}, &protocol::EpochReport::epoch);
  const protocol::Measured measured = this->measured(base::EpochId{epoch});
  if (report == reports.end() || measured.latents.rows() == 0) return std::nullopt;
  const protocol::Missed missed = protocol::outlook(
      *definition_.study, ensemble_->coordinator().view(), *report, measured, executor_);
  return missed.expected * definition_.objective().scale;
}

// In an order that does not depend on who was faster, and without answers of later epochs, which
// may be there after a crash.
protocol::Measured LocalStudy::measured(base::EpochId last) const {
  std::vector<const JournalTrial*> rows;
  for (const JournalTrial& trial : trials_) {
    const bool counts =
        trial.kind != JournalTrial::Kind::kHole && trial.query.epoch <= base::value(last);
    if (counts) rows.push_back(&trial);
  }
  std::ranges::sort(rows, {}, [](const JournalTrial* trial) {
    return std::tuple(trial->query.epoch, trial->query.agent, trial->query.slot);
  });
  const auto count = static_cast<Eigen::Index>(rows.size());
  protocol::Measured out{numeric::Points(count, definition_.study->domain->dimension()),
                         numeric::Vector(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const JournalTrial& trial = *rows[static_cast<std::size_t>(i)];
    std::ranges::copy(trial.query.latent, out.latents.row(i).begin());
    out.rewards[i] = definition_.objective().reward(trial.value);
  }
  return out;
}

// An epoch after which the study ends is stored without the opening of the next one, and the
// definition before both, as in end().
void LocalStudy::persist(const protocol::Effects& effects) {
  for (const protocol::Record& record : effects.records) {
    const auto* closed = std::get_if<protocol::EpochClosed>(&record);
    if (closed == nullptr || expects_enough(*closed)) continue;
    protocol::Effects first = effects;
    std::erase_if(first.records, [](const protocol::Record& one) {
      return std::holds_alternative<protocol::EpochOpened>(one);
    });
    std::erase_if(first.events, [](const protocol::Event& one) {
      return std::holds_alternative<protocol::EpochBegan>(one);
    });
    wanted_ = 0;
    set_study(protocol::ended_early(*definition_.study, closed->epoch));
    persist_all(first);
    ends_ = true;
    return;
  }
  persist_all(effects);
}

// Before the agents see any of it. A message that was taken leads to nothing yet: it is stored with
// the end of the epoch, and until then follows from the answers.
void LocalStudy::persist_all(const protocol::Effects& effects) {
  note_epochs(effects, definition_.study->agents, unix_seconds(), "", notes_);
  held_.insert(held_.end(), effects.records.begin(), effects.records.end());
  if (!std::ranges::all_of(held_, is_taken)) {
    writing([&] {
      journal_->append(held_, notes_, {},
                       finished() ? v1::STUDY_STATE_FINISHED : v1::STUDY_STATE_RUNNING);
    });
    for (const protocol::Record& record : held_) {
      records_.push_back(protocol::encode_record(record));
    }
    held_.clear();
  }
  if (!options_.event) return;
  for (const protocol::Event& event : effects.events) options_.event(event);
}

// The records of an epoch's end must not outlive the answers that they come from.
void LocalStudy::store(std::span<const AgentAnswer> answers, bool ends_epoch) {
  const bool durable = ends_epoch || seconds_since(synced_) >= kSyncSeconds;
  writing([&] { answers_->append(answers, durable); });
  if (durable) synced_ = Clock::now();
}

std::optional<Query> LocalStudy::ask() {
  if (finished()) return std::nullopt;
  const auto most = std::ranges::max_element(desks_, {}, &Desk::num_open);
  return ask(static_cast<std::uint32_t>(most - desks_.begin()));
}

std::optional<Query> LocalStudy::ask(std::uint32_t agent) {
  if (agent >= desks_.size() && !finished()) {
    base::refuse("agent", fmt::format("{}", agent),
                 fmt::format("the study has agents 0 to {}", desks_.size() - 1));
  }
  if (finished() || desks_[agent].num_open == 0) return std::nullopt;
  Desk& desk = desks_[agent];
  const auto open = std::ranges::find(desk.slots, Slot::kOpen);
  *open = Slot::kUnderWay;
  --desk.num_open;
  return query_of(*definition_.study, ensemble_->agent(agent),
                  static_cast<std::uint32_t>(open - desk.slots.begin()));
}

LocalStudy::Slot& LocalStudy::slot_of(const Query& query) {
  const bool exists = !finished() && query.epoch == desks_epoch_ && query.agent < desks_.size() &&
                      query.slot < desks_[query.agent].slots.size();
  if (!exists) {
    base::refuse("trial", trial_name(query),
                 finished() ? "was not asked for; the study is over"
                            : fmt::format("was not asked for; epoch {} is open", desks_epoch_));
  }
  return desks_[query.agent].slots[query.slot];
}

void LocalStudy::give_back(const Query& query) {
  Slot& slot = slot_of(query);
  if (slot != Slot::kUnderWay) return;
  slot = Slot::kOpen;
  ++desks_[query.agent].num_open;
}

void LocalStudy::tell(const Query& query, const Answer& answer, double seconds) {
  const Told told{query, answer, seconds};
  tell({&told, 1});
}

void LocalStudy::tell(std::span<const Told> answers) {
  std::vector<AgentAnswer> entries;
  for (const Told& told : answers) {
    const Query& query = told.query;
    const bool twice = slot_of(query) == Slot::kAnswered ||
                       std::ranges::any_of(entries, [&](const AgentAnswer& other) {
                         return other.agent == query.agent && other.answer.slot == query.slot;
                       });
    base::require(!twice, "trial", trial_name(query), "already has an answer, which counts");
    entries.push_back({query.agent, journal_answer(definition_, query, told.answer, told.seconds)});
    // The plan's own point, in case the caller has changed its copy.
    entries.back().answer.latent =
        query_of(*definition_.study, ensemble_->agent(query.agent), query.slot).latent;
  }
  if (entries.empty()) return;
  store(entries, entries.size() == num_unanswered_);
  num_unanswered_ -= entries.size();
  for (const AgentAnswer& entry : entries) {
    Desk& desk = desks_[entry.agent];
    Slot& slot = desk.slots[entry.answer.slot];
    if (slot == Slot::kOpen) --desk.num_open;
    slot = Slot::kAnswered;
    trials_.push_back(journal_trial(definition_, entry.agent, entry.answer));
    has_reward_ = has_reward_ || entry.answer.kind != JournalTrial::Kind::kHole;
    protocol::answer_slot(ensemble_->agent(entry.agent), entry.answer.slot,
                          reward_of(definition_, entry.answer));
  }
  if (num_unanswered_ > 0) return;
  ensemble_->catch_up();
  settle();
}

}  // namespace duets::service
