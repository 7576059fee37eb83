#include "duets/service/answer_journal.h"

#include <fmt/format.h>

#include <utility>

#include "duets/base/error.h"

namespace duets::service {
namespace {

using storage::StorageError;

// Only the file of a local study has this fact.
constexpr const char* kAgentsFact = "agents";

}  // namespace

base::Bytes encode_agent_answer(const AgentAnswer& answer) {
  base::ByteWriter out;
  out.u32(answer.agent);
  out.blob(encode_entry(answer.answer));
  return out.take();
}

AgentAnswer decode_agent_answer(std::span<const std::uint8_t> bytes) {
  base::ByteReader in(bytes);
  const std::uint32_t agent = in.u32();
  JournalEntry entry = decode_entry(in.blob());
  in.expect_end();
  auto* answer = std::get_if<JournalAnswer>(&entry);
  if (answer == nullptr) throw base::Error(base::ErrorKind::kDecode, "not an answer");
  return {agent, std::move(*answer)};
}

bool is_answer_journal(const storage::Store& store) {
  const std::vector<std::string> names = store.names();
  return names.size() == 1 && store.fact(names.front(), kAgentsFact).has_value();
}

AnswerJournal::AnswerJournal(std::filesystem::path path, std::unique_ptr<storage::Store> store)
    : path_(std::move(path)), store_(std::move(store)) {
  if (!is_answer_journal(*store_)) damaged("not the answers of a local study");
  study_ = store_->names().front();
}

AnswerJournal AnswerJournal::open_or_make(const std::filesystem::path& path,
                                          const Definition& definition) {
  auto store = storage::open_store(path, storage::Access::kWrite);
  const base::Digest digest = protocol::study_digest(*definition.study);
  if (store->names().empty()) {
    const auto known = study_facts(digest, definition);
    std::vector<storage::Store::Fact> facts(known.begin(), known.end());
    base::ByteWriter agents;
    agents.u32(definition.study->agents);
    facts.push_back({kAgentsFact, agents.take()});
    store->create(definition.study->name, facts);
  }
  AnswerJournal journal(path, std::move(store));
  const auto known = study_digest_in(*journal.store_, journal.study_);
  if (journal.study_ != definition.study->name || !known ||
      !protocol::has_digest(*definition.study, *known)) {
    journal.damaged(fmt::format("has the answers of another study (\"{}\")", journal.study_));
  }
  if (*known != digest) {
    journal.store_->append(journal.study_, {}, study_facts(digest, definition));
  }
  return journal;
}

void AnswerJournal::damaged(const std::string& what) const {
  throw StorageError(StorageError::Cause::kDamaged, fmt::format("{}: {}", path_.string(), what));
}

std::vector<AgentAnswer> AnswerJournal::answers() const {
  std::vector<AgentAnswer> answers;
  for (const base::Bytes& bytes : store_->entries(study_)) {
    try {
      answers.push_back(decode_agent_answer(bytes));
    } catch (const base::Error& error) {
      damaged(fmt::format("entry {} cannot be read: {}", answers.size(), error.what()));
    }
  }
  return answers;
}

void AnswerJournal::append(std::span<const AgentAnswer> answers, bool durable) {
  std::vector<base::Bytes> entries;
  entries.reserve(answers.size());
  for (const AgentAnswer& answer : answers) entries.push_back(encode_agent_answer(answer));
  if (durable) {
    store_->append(study_, entries);
  } else {
    store_->append_soon(study_, entries);
  }
}

JournalContents AnswerJournal::contents() const {
  try {
    const std::optional<Definition> definition = definition_in(*store_, study_);
    if (!definition) damaged("the study's definition is missing");
    JournalContents contents{
        study_, 0, study_digest_in(*store_, study_).value_or(base::Digest{}), {}, {}};
    for (const AgentAnswer& answer : answers()) {
      contents.trials.push_back(journal_trial(*definition, answer.agent, answer.answer));
    }
    return contents;
  } catch (const StorageError&) {
    throw;
  } catch (const base::Error& error) {
    damaged(error.what());
  }
}

std::filesystem::path answers_path(const std::filesystem::path& storage) {
  return storage / "answers.db";
}

}  // namespace duets::service
