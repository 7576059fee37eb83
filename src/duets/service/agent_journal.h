// What an agent must not forget: who it is, the broadcasts it got, the answers of its objective.
// One file an agent of a study; docs/formats/storage.md has the layout. No coin is ever in it.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "duets/protocol/messages.h"
#include "duets/service/agent_session.h"
#include "duets/storage/store.h"

namespace duets::service {

/// An answer as it is kept: enough to live through it again, and to show it to people.
struct JournalAnswer {
  std::uint32_t epoch = 0;
  std::uint32_t slot = 0;
  JournalTrial::Kind kind = JournalTrial::Kind::kValue;
  double value = 0;  ///< user's units; 0 for a hole
  double seconds = 0;
  std::string text = {};
  std::vector<double> latent = {};  ///< where
};

/// The coordinator had taken other results for the open epoch, those of another machine: the
/// answers that are here are not part of the run.
struct JournalDisowned {
  std::uint32_t epoch = 0;
};

using JournalEntry = std::variant<protocol::Message, JournalAnswer, JournalDisowned>;
base::Bytes encode_entry(const JournalEntry& entry);
/// kDecode.
JournalEntry decode_entry(std::span<const std::uint8_t> bytes);

/// "<study>-<agent>.db"; what a file name should not hold is written as %XX.
std::string journal_name(const std::string& study, std::uint32_t agent);

/// A journal that a file name in `directory` promises.
struct JournalFile {
  std::filesystem::path path;
  std::string stem;  ///< stands for the study
  std::uint32_t agent = 0;
};
/// Those of a study, or of any when `study` is empty, by agent and then name.
std::vector<JournalFile> find_journals(const std::filesystem::path& directory,
                                       const std::string& study);

/// One process at a time holds it. Everything throws StorageError where it says so there.
class AgentJournal {
 public:
  /// Opens the file of a study's agent; makes it, for `instance`, and the directory when it is
  /// missing or was never begun. kStorage when it belongs to another agent; kIo.
  static AgentJournal open_or_make(const std::filesystem::path& directory, const std::string& study,
                                   std::uint32_t agent, const std::string& instance);
  /// Opens one that exists; nothing when it was never begun (a crash while it was made). kStorage
  /// when its name promises another study or agent.
  static std::optional<AgentJournal> open(const JournalFile& file);

  const std::filesystem::path& path() const { return path_; }
  const std::string& study() const { return study_; }
  std::uint32_t agent() const { return agent_; }
  const std::string& instance() const { return instance_; }
  /// Nothing before joined(): it was made, but the coordinator's answer never came.
  std::optional<base::Digest> study_digest() const;
  std::optional<Definition> definition() const;

  /// What the coordinator said of the study.
  void joined(const base::Digest& study_digest, const Definition& definition);

  /// The coordinator has everything this agent can ever give it. Nothing less ends a run well: a
  /// message that was sent and not answered may be lost.
  bool is_complete() const;
  void set_complete();

  std::vector<JournalEntry> entries() const;
  void append(const JournalEntry& entry);

 private:
  friend JournalContents read_agent_journal(const std::filesystem::path& file);
  AgentJournal(std::filesystem::path path, std::unique_ptr<storage::Store> store);
  void check_name(const std::string& stem, std::uint32_t agent) const;
  [[noreturn]] void damaged(const std::string& what) const;
  base::Bytes need(const char* key) const;

  std::filesystem::path path_;
  std::unique_ptr<storage::Store> store_;
  std::string study_;
  std::uint32_t agent_ = 0;
  std::string instance_;
};

}  // namespace duets::service
