// `duets report`: the result directory of a study that was deployed.
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
  std::string path;    ///< what `duets study export` wrote, its journal.bin, or a storage directory
  std::string study;   ///< of a storage directory; empty: the only one
  std::string secret;  ///< file; empty: that of the storage directory, or none
  std::string output;  ///< empty: results/<study>
  bool overwrite = false;
  std::vector<std::string> trials;  ///< agents' journals, files or directories
  Format format = Format::kTable;
};

/// A study and what else is at hand.
struct ReportSource {
  StudyExport study;
  std::optional<random::StudySecret> secret;
  std::vector<service::JournalTrial> trials;
};

/// A study of a storage directory with its secret, beside a running coordinator or without one. An
/// empty name means the only one.
ReportSource stored_source(const std::filesystem::path& storage, const std::string& name);

/// Writes what `duets run` writes, as far as it is known (harness/recorded_run.h), and returns it.
harness::RunResult write_results(const ReportSource& source, const std::filesystem::path& output,
                                 bool overwrite, const Extensions& extensions);

/// Throws kInvalid for a path that is neither.
void report_study(const ReportFlags& flags, const Extensions& extensions);

/// The word of the command line. `chosen` and `extensions` must outlive the app.
void add_report(CLI::App& app, Chosen& chosen, const Extensions& extensions);

}  // namespace duets::cli
