// `duets report`: writes the result directory of a deployed study.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "duets/cli/command_options.h"
#include "duets/cli/extensions.h"
#include "duets/cli/study_source.h"
#include "duets/harness/run_result.h"
#include "duets/service/agent_session.h"

namespace duets::cli {

struct ReportFlags {
  std::string path;    ///< an export, its journal.bin, or a storage directory
  std::string study;   ///< in a storage directory; empty: the only one
  std::string secret;  ///< file; empty: that of the storage directory, or none
  std::string output;  ///< empty: results/<study>
  bool overwrite = false;
  std::vector<std::string> trials;  ///< agents' journals, files or directories
  Format format = Format::kTable;
};

/// A study and the other available data.
struct ReportSource {
  StudyExport study;
  std::optional<random::StudySecret> secret;
  std::vector<service::JournalTrial> trials;
};

/// An export, its journal.bin, or a study in a storage directory; with the answers of a local
/// study. kInvalid for a path that is neither.
ReportSource source_at(const std::filesystem::path& path, const std::string& study);

/// A study in a storage directory with its secret, with or without a running coordinator. An empty
/// name means the only study.
ReportSource stored_source(const std::filesystem::path& storage, const std::string& name);

/// Writes the files of `duets run`, as far as known (harness/recorded_run.h); returns the result.
harness::RunResult write_results(const ReportSource& source, const std::filesystem::path& output,
                                 bool overwrite, const Extensions& extensions);

/// Throws kInvalid for a path that is neither.
void report_study(const ReportFlags& flags, const Extensions& extensions);

/// Adds the command. `chosen` and `extensions` must outlive the app.
void add_report(CLI::App& app, Chosen& chosen, const Extensions& extensions);

}  // namespace duets::cli
