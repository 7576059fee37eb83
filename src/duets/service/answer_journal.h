// The answers of all agents of a local study, in one file: answers.db (docs/formats/storage.md).
// The broadcasts are in the study's records beside it, once for all agents.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "duets/service/agent_journal.h"
#include "duets/storage/store.h"

namespace duets::service {

struct AgentAnswer {
  std::uint32_t agent = 0;
  JournalAnswer answer;
};
base::Bytes encode_agent_answer(const AgentAnswer& answer);
/// kDecode.
AgentAnswer decode_agent_answer(std::span<const std::uint8_t> bytes);

/// True for the file of a local study: not the journal of one agent.
bool is_answer_journal(const storage::Store& store);

/// Held by one process at a time for writing. All members throw StorageError.
class AnswerJournal {
 public:
  /// An existing file. kDamaged when it is not the answers of one study.
  AnswerJournal(std::filesystem::path path, std::unique_ptr<storage::Store> store);
  /// Opens the file for writing; creates it if it does not exist or was never initialised.
  /// kDamaged when it belongs to another study.
  static AnswerJournal open_or_make(const std::filesystem::path& path,
                                    const Definition& definition);

  std::vector<AgentAnswer> answers() const;
  /// All or nothing. Durable when it returns, or with the next durable one (Store::append_soon).
  void append(std::span<const AgentAnswer> answers, bool durable);

  /// The trials; no broadcasts.
  JournalContents contents() const;

 private:
  [[noreturn]] void damaged(const std::string& what) const;

  std::filesystem::path path_;
  std::unique_ptr<storage::Store> store_;
  std::string study_;
};

/// The file in a storage directory.
std::filesystem::path answers_path(const std::filesystem::path& storage);

}  // namespace duets::service
