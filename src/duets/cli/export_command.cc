#include "duets/cli/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "duets/base/error.h"
#include "duets/cli/export_files.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/export_trials.h"
#include "duets/cli/file_io.h"
#include "duets/cli/json_text.h"
#include "duets/cli/lines.h"
#include "duets/cli/study_definition.h"
#include "duets/service/export_file.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

bool is_ours(const fs::directory_entry& entry) {
  const fs::path& path = entry.path();
  const std::string name = (path.extension() == ".tmp" ? path.stem() : path.filename()).string();
  return entry.is_regular_file() &&
         std::find(kExportFiles.begin(), kExportFiles.end(), name) != kExportFiles.end();
}

/// Files that get their directory's name all at once.
class ExportDirectory {
 public:
  explicit ExportDirectory(const fs::path& directory)
      : directory_(full_name(directory)), partial_(directory_.string() + ".partial") {
    check_free();
    if (fs::exists(partial_)) remove_earlier();
    std::error_code error;
    fs::create_directories(partial_, error);
    if (error) fail_io("cannot create", partial_, error);
  }
  ~ExportDirectory() {
    std::error_code ignored;
    fs::remove_all(partial_, ignored);
  }
  ExportDirectory(const ExportDirectory&) = delete;
  ExportDirectory& operator=(const ExportDirectory&) = delete;

  void write(const std::string& name, std::string_view text) {
    write_whole_file(partial_ / name, text);
    files_.push_back(name);
  }
  const std::vector<std::string>& files() const { return files_; }

  void commit() const {
    check_free();
    std::error_code error;
    fs::rename(partial_, directory_, error);
    if (error) fail_io("cannot put the export into", directory_, error);
  }

 private:
  void check_free() const {
    base::require(!fs::exists(directory_) || fs::is_empty(directory_), "--output",
                  directory_.string(), "exists already; choose another directory");
  }

  // What an earlier process that was killed has left; nothing else.
  void remove_earlier() const {
    base::require(
        fs::is_directory(partial_) &&
            std::all_of(fs::directory_iterator(partial_), fs::directory_iterator(), is_ours),
        "--output", partial_.string(), "is in the way and holds something else; it is not removed");
    std::error_code error;
    fs::remove_all(partial_, error);
    if (error) fail_io("cannot remove", partial_, error);
  }

  fs::path directory_;
  fs::path partial_;
  std::vector<std::string> files_;
};

}  // namespace

void export_study(const ExportFlags& flags, const Extensions& extensions) {
  Lines lines(flags.verbosity);
  const auto source = open_source(flags.source, lines.log());
  const StudyExport study = source->exported(flags.study);
  const std::string& name = study.definition.study->name;
  const StudyFile file = study_file_of(study.definition, extensions.functions);
  FileTexts files = tables_of(study, file);
  const base::Bytes journal = service::encode_export(study.definition, study.records);
  files.emplace(kJournalFile, std::string(journal.begin(), journal.end()));
  const std::string output = flags.output.empty() ? "results/" + name : flags.output;
  ExportDirectory directory(output);
  if (!flags.trials.empty()) {
    const auto trials = merged_trials(find_given_journals(flags.trials), study);
    files.emplace(kTrialsFile, trials_csv(trials, study));
  }
  for (const auto& [file_name, text] : files) directory.write(file_name, text);
  directory.write(std::string(kDigestsFile), digests_text(files));
  directory.commit();
  lines.say(fmt::format("{} records of study {} are in {}", study.records.size(), name, output));
  if (flags.format != Format::kJson) return;
  std::cout << json_text({{"study", name},
                          {"records", study.records.size()},
                          {"results", output},
                          {"files", directory.files()}});
}

}  // namespace duets::cli
