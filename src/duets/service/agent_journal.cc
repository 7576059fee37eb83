#include "duets/service/agent_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/agent_journal_instance.h"
#include "duets/service/answer_journal.h"
#include "duets/storage/whole_file.h"

namespace duets::service {
namespace {

using storage::StorageError;

constexpr std::uint8_t kBroadcastEntry = 1;
constexpr std::uint8_t kAnswerEntry = 2;
constexpr std::uint8_t kDisownedEntry = 3;
constexpr const char* kInstanceFact = "instance";
constexpr const char* kAgentFact = "agent";
constexpr const char* kDigestFact = "study_digest";
constexpr const char* kDefinitionFact = "definition";
constexpr const char* kCompleteFact = "complete";
constexpr std::size_t kLongestText = 5000;  // of an objective's failure text
constexpr std::size_t kLongestStem = 180;   // file systems allow 255 for the whole name

void write_answer(base::ByteWriter& out, const JournalAnswer& answer) {
  out.u32(answer.epoch);
  out.u32(answer.slot);
  out.u8(static_cast<std::uint8_t>(answer.kind));
  out.f64(answer.value);
  out.f64(answer.seconds);
  out.text(answer.text);
  out.f64s(answer.latent);
}

JournalAnswer read_answer(base::ByteReader& in) {
  JournalAnswer answer;
  answer.epoch = in.u32();
  answer.slot = in.u32();
  answer.kind =
      base::enum_of<JournalTrial::Kind>(in.u8(), "kind of answer", base::ErrorKind::kDecode);
  answer.value = in.f64();
  answer.seconds = in.f64();
  answer.text = in.text();
  answer.latent = in.f64s();
  return answer;
}

/// The part of a file name that identifies the study.
std::string stem_of(const std::string& study) {
  std::string stem;
  for (const char c : study) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || c == '_' || c == '-' || (c == '.' && !stem.empty())) {
      stem += c;
    } else {
      stem += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  if (stem.size() <= kLongestStem) return stem;
  const std::span bytes(reinterpret_cast<const std::uint8_t*>(study.data()), study.size());
  return stem.substr(0, kLongestStem - 33) + "%" + base::to_hex(base::digest_of(bytes));
}

/// STEM and AGENT of "STEM-AGENT.db".
std::optional<std::pair<std::string, std::uint32_t>> parse_name(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  if (!name.ends_with(".db") || dash == std::string::npos) return std::nullopt;
  std::uint32_t agent = 0;
  const char* end = name.data() + name.size() - 3;
  const auto [rest, error] = std::from_chars(name.data() + dash + 1, end, agent);
  if (error != std::errc() || rest != end) return std::nullopt;
  return std::pair(name.substr(0, dash), agent);
}

base::Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

base::Bytes encode_entry(const JournalEntry& entry) {
  base::ByteWriter out;
  if (const auto* answer = std::get_if<JournalAnswer>(&entry)) {
    out.u8(kAnswerEntry);
    write_answer(out, *answer);
  } else if (const auto* disowned = std::get_if<JournalDisowned>(&entry)) {
    out.u8(kDisownedEntry);
    out.u32(disowned->epoch);
  } else {
    out.u8(kBroadcastEntry);
    out.blob(protocol::encode(std::get<protocol::Message>(entry)));
  }
  return out.take();
}

JournalEntry decode_entry(std::span<const std::uint8_t> bytes) {
  base::ByteReader in(bytes);
  const std::uint8_t type = in.u8();
  JournalEntry entry;
  if (type == kBroadcastEntry) {
    entry = protocol::decode(in.blob());
  } else if (type == kAnswerEntry) {
    entry = read_answer(in);
  } else if (type == kDisownedEntry) {
    entry = JournalDisowned{in.u32()};
  } else {
    throw base::Error(base::ErrorKind::kDecode, "bad type of entry");
  }
  in.expect_end();
  return entry;
}

Answer usable_answer(const Definition& definition, Answer answer) {
  const auto* value = std::get_if<Value>(&answer);
  if (value == nullptr) return answer;
  std::string objection = definition.objective().objection_to(value->value);
  if (objection.empty()) return answer;
  return Failure{.why = std::move(objection), .log_tail = {}};
}

JournalAnswer journal_answer(const Definition& definition, const Query& query, const Answer& answer,
                             double seconds) {
  JournalAnswer entry;
  entry.epoch = query.epoch;
  entry.slot = query.slot;
  entry.latent = query.latent;
  entry.seconds = seconds;
  if (const auto* value = std::get_if<Value>(&answer)) {
    const std::string objection = definition.objective().objection_to(value->value);
    if (!objection.empty()) {
      throw base::Error(base::ErrorKind::kInvalid,
                        fmt::format("trial {}: {}; report a query without an answer as a failure",
                                    trial_name(query), objection));
    }
    entry.value = value->value;
  } else if (const auto* infeasible = std::get_if<Infeasible>(&answer)) {
    const std::optional<double> counted = definition.objective().infeasible_value;
    if (!counted) {
      throw base::Error(
          base::ErrorKind::kObjective,
          fmt::format("trial {} is infeasible ({}), but the study was started without "
                      "objective.infeasible_value and cannot be changed; let the "
                      "program answer with a value of its own, or exit with a "
                      "code other than 0 (a hole), or start a new study that sets the key",
                      trial_name(query), infeasible->why));
    }
    entry.kind = JournalTrial::Kind::kInfeasible;
    entry.value = *counted;
    entry.text = infeasible->why;
  } else {
    const auto& failure = std::get<Failure>(answer);
    entry.kind = JournalTrial::Kind::kHole;
    entry.text = failure.why;
    if (!failure.log_tail.empty()) entry.text += "\n" + failure.log_tail;
  }
  entry.text = entry.text.substr(0, kLongestText);
  return entry;
}

double reward_of(const Definition& definition, const JournalAnswer& answer) {
  // Journals of earlier versions contain values of any size; a coordinator would refuse them.
  const bool hole = answer.kind == JournalTrial::Kind::kHole ||
                    !definition.objective().objection_to(answer.value).empty();
  return hole ? std::numeric_limits<double>::quiet_NaN()
              : definition.objective().reward(answer.value);
}

JournalTrial journal_trial(const Definition& definition, std::uint32_t agent,
                           const JournalAnswer& answer) {
  const std::vector<std::uint32_t> lengths = protocol::lengths(*definition.study);
  if (answer.epoch < 1 || answer.epoch > lengths.size()) {
    throw base::Error(base::ErrorKind::kDecode,
                      "it has an answer for an epoch that the study does not have");
  }
  JournalTrial trial;
  trial.query = {agent, answer.epoch, answer.slot, answer.slot, answer.latent, {}};
  for (std::uint32_t e = 1; e < answer.epoch; ++e) trial.query.t += lengths[e - 1];
  if (answer.latent.size() == definition.study->domain->dimension()) {
    trial.query.values = definition.study->domain->values(answer.latent);
  }
  trial.kind = answer.kind;
  trial.value = answer.value;
  trial.seconds = answer.seconds;
  trial.text = answer.text;
  return trial;
}

std::string journal_name(const std::string& study, std::uint32_t agent) {
  return fmt::format("{}-{}.db", stem_of(study), agent);
}

std::vector<JournalFile> find_journals(const std::filesystem::path& directory,
                                       const std::string& study) {
  std::vector<JournalFile> found;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(directory, error)) {
    const auto name = parse_name(file.path().filename().string());
    if (name && (study.empty() || name->first == stem_of(study))) {
      found.push_back({file.path(), name->first, name->second});
    }
  }
  std::ranges::sort(found, {}, [](const JournalFile& file) {
    return std::tuple(file.agent, file.path.string());
  });
  return found;
}

std::array<storage::Store::Fact, 2> study_facts(const base::Digest& study_digest,
                                                const Definition& definition) {
  base::ByteWriter digest;
  digest.digest(study_digest);
  return {{{kDigestFact, digest.take()}, {kDefinitionFact, encode_definition(definition)}}};
}

std::optional<base::Digest> study_digest_in(const storage::Store& store, const std::string& study) {
  const auto bytes = store.fact(study, kDigestFact);
  if (!bytes) return std::nullopt;
  if (bytes->size() != 16) throw base::Error(base::ErrorKind::kDecode, "bad study digest");
  return base::ByteReader(*bytes).digest();
}

std::optional<Definition> definition_in(const storage::Store& store, const std::string& study) {
  const auto bytes = store.fact(study, kDefinitionFact);
  if (!bytes) return std::nullopt;
  return decode_definition(*bytes);
}

AgentJournal::AgentJournal(std::filesystem::path path, std::unique_ptr<storage::Store> store)
    : path_(std::move(path)), store_(std::move(store)) {
  const std::vector<std::string> names = store_->names();
  if (names.size() != 1) damaged("not the journal of one agent");
  study_ = names.front();
  const base::Bytes instance = need(kInstanceFact);
  if (instance.size() != kInstanceBytes) damaged("bad instance");
  instance_.assign(instance.begin(), instance.end());
  const base::Bytes agent = need(kAgentFact);
  if (agent.size() != 4) damaged("bad agent");
  agent_ = base::ByteReader(agent).u32();
}

AgentJournal AgentJournal::open_or_make(const std::filesystem::path& directory,
                                        const std::string& study, std::uint32_t agent,
                                        const std::string& instance) {
  storage::make_directory(directory);
  const std::filesystem::path path = directory / journal_name(study, agent);
  auto store = storage::open_store(path, storage::Access::kWrite);
  if (store->names().empty()) {
    base::ByteWriter number;
    number.u32(agent);
    const std::array facts{storage::Store::Fact{kInstanceFact, bytes_of(instance)},
                           storage::Store::Fact{kAgentFact, number.take()}};
    store->create(study, facts);
  }
  AgentJournal journal(path, std::move(store));
  journal.check_name(stem_of(study), agent);
  return journal;
}

std::optional<AgentJournal> AgentJournal::open(const JournalFile& file) {
  auto store = storage::open_store(file.path, storage::Access::kWrite);
  if (store->names().empty()) return std::nullopt;
  AgentJournal journal(file.path, std::move(store));
  journal.check_name(file.stem, file.agent);
  return journal;
}

void AgentJournal::check_name(const std::string& stem, std::uint32_t agent) const {
  if (stem_of(study_) == stem && agent_ == agent) return;
  damaged(fmt::format("this is the journal of agent {} of study '{}'; was it renamed?", agent_,
                      study_));
}

void AgentJournal::damaged(const std::string& what) const {
  throw StorageError(StorageError::Cause::kDamaged, fmt::format("{}: {}", path_.string(), what));
}

base::Bytes AgentJournal::need(const char* key) const {
  std::optional<base::Bytes> value = store_->fact(study_, key);
  if (!value) damaged(fmt::format("{} is missing", key));
  return *std::move(value);
}

std::optional<base::Digest> AgentJournal::study_digest() const {
  try {
    return study_digest_in(*store_, study_);
  } catch (const StorageError&) {
    throw;
  } catch (const base::Error& error) {
    damaged(error.what());
  }
}

std::optional<Definition> AgentJournal::definition() const {
  try {
    return definition_in(*store_, study_);
  } catch (const StorageError&) {
    throw;
  } catch (const base::Error& error) {
    damaged(fmt::format("the study's definition cannot be read: {}", error.what()));
  }
}

void AgentJournal::joined(const base::Digest& study_digest, const Definition& definition) {
  const auto known = study_facts(study_digest, definition);
  std::vector<storage::Store::Fact> facts(known.begin(), known.end());
  if (is_complete()) facts.push_back({kCompleteFact, {0}});
  store_->append(study_, {}, facts);
}

// Not empty: it was complete, and then the study was extended.
bool AgentJournal::is_complete() const {
  const auto fact = store_->fact(study_, kCompleteFact);
  return fact && fact->empty();
}

void AgentJournal::set_complete() {
  if (!is_complete()) store_->set_fact(study_, kCompleteFact, {});
}

std::vector<JournalEntry> AgentJournal::entries() const {
  std::vector<JournalEntry> entries;
  for (const base::Bytes& bytes : store_->entries(study_)) {
    try {
      entries.push_back(decode_entry(bytes));
    } catch (const base::Error& error) {
      damaged(fmt::format("entry {} cannot be read: {}", entries.size(), error.what()));
    }
  }
  return entries;
}

void AgentJournal::append(const JournalEntry& entry) {
  const std::array entries{encode_entry(entry)};
  store_->append(study_, entries);
}

JournalContents read_agent_journal(const std::filesystem::path& file) {
  auto store = storage::open_store(file, storage::Access::kRead);
  if (is_answer_journal(*store)) return AnswerJournal(file, std::move(store)).contents();
  const AgentJournal journal(file, std::move(store));
  JournalContents contents{
      journal.study(), journal.agent(), journal.study_digest().value_or(base::Digest{}), {}, {}};
  const std::optional<Definition> definition = journal.definition();
  if (!definition) return contents;
  for (const JournalEntry& entry : journal.entries()) {
    if (const auto* broadcast = std::get_if<protocol::Message>(&entry)) {
      contents.broadcasts.push_back(protocol::encode(*broadcast));
    } else if (const auto* disowned = std::get_if<JournalDisowned>(&entry)) {
      std::erase_if(contents.trials, [&](const JournalTrial& trial) {
        return trial.query.epoch == disowned->epoch;
      });
    } else {
      try {
        contents.trials.push_back(
            journal_trial(*definition, journal.agent(), std::get<JournalAnswer>(entry)));
      } catch (const base::Error& error) {
        journal.damaged(error.what());
      }
    }
  }
  return contents;
}

}  // namespace duets::service
