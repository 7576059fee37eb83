// The journal of an agent: its identity, the broadcasts it received, the answers of its objective.
// One file per agent of a study; docs/formats/storage.md has the layout. It never contains a coin.
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

/// An answer as stored: enough to replay it and to show it to people.
struct JournalAnswer {
  std::uint32_t epoch = 0;
  std::uint32_t slot = 0;
  JournalTrial::Kind kind = JournalTrial::Kind::kValue;
  double value = 0;  ///< user's units; 0 for a hole
  double seconds = 0;
  std::string text = {};
  std::vector<double> latent = {};  ///< the point
};

/// A value that cannot be a reward becomes a Failure with the reason; other answers stay.
Answer usable_answer(const Definition& definition, Answer answer);

/// The entry of an answer that is not Interrupted. An infeasible one counts as the study's
/// infeasible_value: kObjective without one. kInvalid for a value that cannot be a reward.
JournalAnswer journal_answer(const Definition& definition, const Query& query, const Answer& answer,
                             double seconds);

/// The reward of an answer in model units; NaN for a hole.
double reward_of(const Definition& definition, const JournalAnswer& answer);

/// The answer as a trial of the study. Throws kDecode for an epoch that the study does not have.
JournalTrial journal_trial(const Definition& definition, std::uint32_t agent,
                           const JournalAnswer& answer);

/// The coordinator has other results for the open epoch, from another machine: the answers in this
/// journal are not part of the run.
struct JournalDisowned {
  std::uint32_t epoch = 0;
};

using JournalEntry = std::variant<protocol::Message, JournalAnswer, JournalDisowned>;
base::Bytes encode_entry(const JournalEntry& entry);
/// kDecode.
JournalEntry decode_entry(std::span<const std::uint8_t> bytes);

/// "<study>-<agent>.db"; characters that are unsafe in a file name are written as %XX.
std::string journal_name(const std::string& study, std::uint32_t agent);

/// A file in `directory` whose name is that of a journal.
struct JournalFile {
  std::filesystem::path path;
  std::string stem;  ///< identifies the study
  std::uint32_t agent = 0;
};
/// The journals of a study, or of all studies if `study` is empty, by agent and then by name.
std::vector<JournalFile> find_journals(const std::filesystem::path& directory,
                                       const std::string& study);

/// The facts that identify the study of a file of answers, and reading them; nothing where they are
/// not stored. kDecode, and kInvalid for a definition that is not a study.
std::array<storage::Store::Fact, 2> study_facts(const base::Digest& study_digest,
                                                const Definition& definition);
std::optional<base::Digest> study_digest_in(const storage::Store& store, const std::string& study);
std::optional<Definition> definition_in(const storage::Store& store, const std::string& study);

/// Held by one process at a time. All members throw StorageError like storage::Store.
class AgentJournal {
 public:
  /// Opens the journal of an agent. Creates it, for `instance`, and the directory if the journal
  /// does not exist or was never initialised. kStorage when it belongs to another agent; kIo.
  static AgentJournal open_or_make(const std::filesystem::path& directory, const std::string& study,
                                   std::uint32_t agent, const std::string& instance);
  /// Opens an existing journal; nothing if it was never initialised (a crash during creation).
  /// kStorage when its contents belong to another study or agent than its name.
  static std::optional<AgentJournal> open(const JournalFile& file);

  const std::filesystem::path& path() const { return path_; }
  const std::string& study() const { return study_; }
  std::uint32_t agent() const { return agent_; }
  const std::string& instance() const { return instance_; }
  /// Nothing before joined(): the coordinator never answered.
  std::optional<base::Digest> study_digest() const;
  std::optional<Definition> definition() const;

  /// Stores the coordinator's answer: a new study, or one that was extended and is not complete
  /// any more.
  void joined(const base::Digest& study_digest, const Definition& definition);

  /// The coordinator has everything that this agent can ever send. Only then may a run end: a
  /// message that was sent but not answered may be lost.
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
