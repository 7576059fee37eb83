// Checks file by file that an export is what was exported.
//
// A file can be confirmed in two ways: it is recomputed here, to the byte, from journal.bin and the
// secret; or it matches its digest in digests.txt (journal.bin: its checksum). A digest finds
// accidents and edits, but not a file that was rewritten together with its digest. So every verdict
// names the part that only the digest covers.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "duets/cli/export_files.h"
#include "duets/protocol/verify.h"
#include "duets/service/agent_session.h"

namespace duets::cli {

struct FileVerdict {
  std::string wrong;           ///< what differs from the export; empty: nothing
  std::string checked;         ///< how it was checked
  std::string only_by_digest;  ///< the part that only its digest covers; empty: none
};
using Verdicts = std::map<std::string, FileVerdict, std::less<>>;
std::size_t num_wrong(const Verdicts& files);

class ExportCheck {
 public:
  /// Reads a directory: files that are missing, do not belong there or do not match their digest
  /// are wrong. Or reads journal.bin alone. kInvalid for a path that is not an export, kIo.
  explicit ExportCheck(const std::filesystem::path& path);

  /// The bytes of a file, or null when it is missing.
  const std::string* text(std::string_view name) const;

  /// Compares the directory with the files that tables_of computes from journal.bin.
  void compare(const FileTexts& tables);
  /// Compares trials.csv with the text of its trials when written again.
  void compare_trials(const std::string& written_again);

  /// Records an error of a file, unless it has one already.
  void set_wrong(std::string_view name, const std::string& what);
  void set_checked(std::string_view name, const std::string& checked,
                   const std::string& only_by_digest);

  const Verdicts& verdicts() const { return verdicts_; }

 private:
  void read_directory(const std::filesystem::path& directory);
  void read_folder(const std::filesystem::path& folder, const std::string& prefix);
  void read_digests();
  void compare_text(std::string_view name, std::string_view theirs, std::string_view ours);
  bool agrees_with_digest(std::string_view name) const;

  FileTexts texts_;
  FileTexts digests_;         ///< of digests.txt
  bool has_digests_ = false;  ///< digests.txt exists and is valid
  bool is_directory_ = false;
  Verdicts verdicts_;
};

/// The verdict on journal.bin and, if there is one, on trials.csv, after the run was recomputed
/// with `num_answers` answers of agents, including those of trials.csv.
void judge_journal(const protocol::Verification& verification, std::size_t num_answers,
                   ExportCheck& check);
void judge_trials(const std::vector<service::JournalTrial>& trials,
                  const protocol::Verification& verification, ExportCheck& check);

}  // namespace duets::cli
