#include "duets/cli/result_directory.h"

#include <cerrno>

#include "duets/cli/file_io.h"
#include "duets/cli/result_kind.h"
#include "duets/cli/run_manifest.h"
#include "duets/cli/summary.h"
#include "duets/harness/figures.h"
#include "duets/harness/report_page.h"

namespace duets::cli {
namespace {

constexpr std::size_t kBufferedBytes = 1 << 16;

}  // namespace

FileTexts result_files(const harness::RunResult& result) {
  FileTexts files{{"epochs.csv", to_csv(harness::epochs_table(result))},
                  {"communication.csv", to_csv(harness::communication_table(result))}};
  if (!result.cumulative_regret.empty()) {
    files.emplace("regret.csv", to_csv(harness::regret_table(result)));
  }
  const std::vector<report::NamedFigure> figures = harness::all_figures(result);
  for (const auto& [name, svg] : figures) files.emplace("figures/" + name, svg);
  files.emplace("report.html", harness::report_html(result, figures));
  return files;
}

ResultDirectory::ResultDirectory(const std::filesystem::path& directory, bool overwrite,
                                 const StudyFile& file)
    : files_(directory, {overwrite ? holds_run : nullptr, holds_unfinished_run}),
      file_(file),
      trial_table_(*file.study.domain) {
  trials_.open(partial() / "trials.csv");
  trials_ << trial_table_.head();
}

void ResultDirectory::trial(const harness::Trial& trial, std::string_view state) {
  trial_table_.append(rows_, trial, state);
  if (rows_.size() >= kBufferedBytes) flush_trials();
}

void ResultDirectory::flush_trials() {
  errno = 0;
  trials_.write(rows_.data(), static_cast<std::streamsize>(rows_.size()));
  rows_.clear();
  if (!trials_) fail_io("cannot write", partial() / "trials.csv", last_error());
}

void ResultDirectory::commit(const harness::RunResult& result,
                             const std::optional<TrialRows>& trials, unsigned threads) {
  flush_trials();
  errno = 0;
  trials_.close();
  if (!trials_) fail_io("cannot write", partial() / "trials.csv", last_error());
  files_.write("study.toml", resolved_toml(file_));
  for (const auto& [name, text] : result_files(result)) files_.write(name, text);
  files_.write("summary.json", summary_json(result));
  files_.write("manifest.json", manifest_json(result, threads, trials));
  files_.commit();
}

}  // namespace duets::cli
