#include "duets/service/study_journal.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "duets/base/error.h"

namespace duets::service {
namespace {

using storage::StorageError;

constexpr const char* kDefinition = "definition";
constexpr const char* kState = "state";
constexpr const char* kProblem = "problem";
constexpr const char* kCreated = "created";
constexpr const char* kLeases = "leases";
constexpr const char* kEpochs = "epochs";
constexpr const char* kTraffic = "traffic";
constexpr const char* kPolicy = "policy";
constexpr const char* kService = "service";

base::Bytes encode_state(v1::StudyState state) { return {static_cast<std::uint8_t>(state)}; }

base::Bytes encode_number(double value) {
  base::ByteWriter out;
  out.f64(value);
  return out.take();
}

v1::StudyState decode_state(base::ByteReader in) {
  const int state = in.u8();
  in.expect_end();
  if (!v1::StudyState_IsValid(state) || state == v1::STUDY_STATE_UNSPECIFIED) {
    throw base::Error(base::ErrorKind::kDecode, fmt::format("invalid study state {}", state));
  }
  return static_cast<v1::StudyState>(state);
}

/// Why an epoch closed without some of the messages that had arrived; empty: with all of them.
std::string left_out_text(const protocol::Effects& effects) {
  std::vector<std::uint32_t> agents;
  std::string why;
  for (const protocol::Event& event : effects.events) {
    if (const auto* left_out = std::get_if<protocol::MessageLeftOut>(&event)) {
      agents.push_back(base::value(left_out->agent));
      why = left_out->why;
    }
  }
  if (agents.empty()) return {};
  return fmt::format("the results of agent{} {} cannot be used: {}", agents.size() > 1 ? "s" : "",
                     fmt::join(agents, ", "), why);
}

}  // namespace

void note_epochs(const protocol::Effects& effects, std::uint32_t agents, double now,
                 const std::string& why, std::map<std::uint32_t, EpochNote>& notes) {
  const std::string left_out = left_out_text(effects);
  for (const protocol::Record& record : effects.records) {
    if (const auto* opened = std::get_if<protocol::EpochOpened>(&record)) {
      notes[base::value(opened->epoch)].opened_unix = now;
    } else if (const auto* closed = std::get_if<protocol::EpochClosed>(&record)) {
      EpochNote& note = notes[base::value(closed->epoch)];
      note.closed_unix = now;
      note.why = closed->participants.size() == agents ? "complete"
                 : left_out.empty()                    ? why
                                                       : left_out;
    }
  }
}

base::Bytes encode_epochs(const std::map<std::uint32_t, EpochNote>& epochs) {
  base::ByteWriter out;
  out.u32(static_cast<std::uint32_t>(epochs.size()));
  for (const auto& [epoch, note] : epochs) {
    out.u32(epoch);
    out.f64(note.opened_unix);
    out.f64(note.closed_unix);
    out.text(note.why);
  }
  return out.take();
}

std::map<std::uint32_t, EpochNote> decode_epochs(std::span<const std::uint8_t> bytes) {
  base::ByteReader in(bytes);
  std::map<std::uint32_t, EpochNote> epochs;
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t epoch = in.u32();
    if (!epochs.empty() && epoch <= epochs.rbegin()->first) {
      throw base::Error(base::ErrorKind::kDecode,
                        fmt::format("notes of epoch {} are out of order", epoch));
    }
    EpochNote& note = epochs[epoch];
    note.opened_unix = in.f64();
    note.closed_unix = in.f64();
    note.why = in.text();
  }
  in.expect_end();
  return epochs;
}

base::Bytes encode_traffic(const v1::Traffic& traffic) {
  base::ByteWriter out;
  out.u64(traffic.calls());
  out.u64(traffic.payload_up_bytes());
  out.u64(traffic.payload_down_bytes());
  out.u64(traffic.reals_links());
  out.u64(traffic.closing_bytes());
  out.u64(traffic.closing_reals());
  return out.take();
}

v1::Traffic decode_traffic(std::span<const std::uint8_t> bytes) {
  base::ByteReader in(bytes);
  v1::Traffic traffic;
  traffic.set_calls(in.u64());
  traffic.set_payload_up_bytes(in.u64());
  traffic.set_payload_down_bytes(in.u64());
  traffic.set_reals_links(in.u64());
  traffic.set_closing_bytes(in.u64());
  traffic.set_closing_reals(in.u64());
  in.expect_end();
  return traffic;
}

base::Bytes encode_policy(const ClosePolicy& policy) {
  base::ByteWriter out;
  out.u32(policy.quorum);
  out.f64(policy.deadline);
  return out.take();
}

ClosePolicy decode_policy(std::span<const std::uint8_t> bytes) {
  base::ByteReader in(bytes);
  ClosePolicy policy;
  policy.quorum = in.u32();
  policy.deadline = in.f64();
  in.expect_end();
  if (!std::isfinite(policy.deadline) || policy.deadline < 0) {
    throw base::Error(base::ErrorKind::kDecode,
                      fmt::format("invalid deadline {}", policy.deadline));
  }
  return policy;
}

base::Bytes encode_service(const ServiceNote& note) {
  base::ByteWriter out;
  out.f64(note.unix);
  out.text(note.how);
  out.text(note.why);
  return out.take();
}

ServiceNote decode_service(std::span<const std::uint8_t> bytes) {
  base::ByteReader in(bytes);
  ServiceNote note;
  note.unix = in.f64();
  note.how = in.text();
  note.why = in.text();
  in.expect_end();
  if (!std::isfinite(note.unix)) {
    throw base::Error(base::ErrorKind::kDecode, fmt::format("invalid time {}", note.unix));
  }
  return note;
}

StudyJournal::StudyJournal(storage::Store& store, std::string name)
    : store_(store), name_(std::move(name)) {}

StudyJournal StudyJournal::create(storage::Store& store, const Definition& definition,
                                  double created_unix) {
  const std::array<storage::Store::Fact, 3> facts{{
      {kDefinition, encode_definition(definition)},
      {kState, encode_state(v1::STUDY_STATE_RUNNING)},
      {kCreated, encode_number(created_unix)},
  }};
  store.create(definition.study->name, facts);
  return {store, definition.study->name};
}

StoredStudy StudyJournal::load() const {
  const auto fact = [&](const char* key) { return store_.fact(name_, key); };
  StoredStudy stored;
  try {
    const auto definition = fact(kDefinition);
    const auto state = fact(kState);
    const auto created = fact(kCreated);
    if (!definition || !state || !created) {
      throw base::Error(base::ErrorKind::kDecode, "a fact is missing");
    }
    stored.definition = decode_definition(*definition);
    const auto policy = fact(kPolicy);
    stored.policy = policy ? decode_policy(*policy) : stored.definition.policy();
    stored.state = decode_state(base::ByteReader(*state));
    const auto problem = fact(kProblem);
    if (problem && stored.state == v1::STUDY_STATE_FAILED) {
      stored.problem.assign(problem->begin(), problem->end());
    }
    stored.created_unix = base::ByteReader(*created).f64();
    stored.leases = fact(kLeases).value_or(base::Bytes{});
    if (const auto epochs = fact(kEpochs)) stored.epochs = decode_epochs(*epochs);
    if (const auto traffic = fact(kTraffic)) {
      stored.traffic = decode_traffic(*traffic);
    }
    if (const auto service = fact(kService)) stored.service = decode_service(*service);
  } catch (const StorageError&) {
    throw;
  } catch (const base::Error& error) {
    throw StorageError(StorageError::Cause::kDamaged,
                       fmt::format("study \"{}\": {}", name_, error.what()));
  }
  stored.records = store_.entries(name_);
  return stored;
}

void StudyJournal::append(const std::vector<protocol::Record>& records,
                          const std::map<std::uint32_t, EpochNote>& epochs,
                          const v1::Traffic& traffic, v1::StudyState state) {
  std::vector<base::Bytes> entries;
  entries.reserve(records.size());
  for (const protocol::Record& record : records) {
    entries.push_back(protocol::encode_record(record));
  }
  const std::array<storage::Store::Fact, 3> facts{{
      {kEpochs, encode_epochs(epochs)},
      {kTraffic, encode_traffic(traffic)},
      {kState, encode_state(state)},
  }};
  store_.append(name_, entries, facts);
}

void StudyJournal::set_leases(const base::Bytes& leases) {
  store_.set_fact(name_, kLeases, leases);
}

void StudyJournal::set_state(v1::StudyState state) {
  store_.set_fact(name_, kState, encode_state(state));
}

void StudyJournal::set_definition(const Definition& definition) {
  store_.set_fact(name_, kDefinition, encode_definition(definition));
}

void StudyJournal::extend(const Definition& definition) {
  const std::array<storage::Store::Fact, 2> facts{{
      {kDefinition, encode_definition(definition)},
      {kState, encode_state(v1::STUDY_STATE_RUNNING)},
  }};
  store_.append(name_, {}, facts);
}

void StudyJournal::set_policy(const ClosePolicy& policy) {
  store_.set_fact(name_, kPolicy, encode_policy(policy));
}

void StudyJournal::set_service(const ServiceNote& note) {
  store_.set_fact(name_, kService, encode_service(note));
}

void StudyJournal::set_failed(const std::string& problem) {
  const std::array<storage::Store::Fact, 2> facts{{
      {kState, encode_state(v1::STUDY_STATE_FAILED)},
      {kProblem, {problem.begin(), problem.end()}},
  }};
  store_.append(name_, {}, facts);
}

std::filesystem::path secret_path(const std::filesystem::path& storage, const std::string& study) {
  return storage / "secrets" / (study + ".key");
}

std::filesystem::path store_path(const std::filesystem::path& storage) {
  return storage / "duets.db";
}

}  // namespace duets::service
