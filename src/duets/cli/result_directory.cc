#include "duets/cli/result_directory.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "duets/base/error.h"
#include "duets/cli/file_io.h"
#include "duets/cli/result_kind.h"
#include "duets/cli/result_tables.h"
#include "duets/harness/figures.h"
#include "duets/harness/report_page.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferedBytes = 1 << 16;

void check_target(const fs::path& directory, bool overwrite) {
  if (!fs::exists(directory) || holds_nothing(directory)) return;
  base::require(overwrite, "--output", directory.string(),
                "exists already; choose another directory or add --overwrite");
  base::require(fs::is_directory(directory) && holds_run(directory), "--output", directory.string(),
                "holds something else than the results of a run, and is not overwritten");
}

// What an earlier process that was killed has left; nothing else.
void remove_partial(const fs::path& partial) {
  if (!fs::exists(partial)) return;
  base::require(holds_nothing(partial) || holds_unfinished_run(partial), "--output",
                partial.string(), "is in the way and holds something else; it is not removed");
  std::error_code error;
  fs::remove_all(partial, error);
  if (error) fail_io("cannot remove", partial, error);
}

std::error_code last_error() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

}  // namespace

ResultDirectory::ResultDirectory(const fs::path& directory, bool overwrite, const StudyFile& file)
    : directory_(full_name(directory)),
      partial_(directory_.string() + ".partial"),
      overwrite_(overwrite),
      file_(file) {
  check_target(directory_, overwrite_);
  remove_partial(partial_);
  std::error_code error;
  fs::create_directories(partial_ / "figures", error);
  if (error) fail_io("cannot create", partial_, error);
  trials_.open(partial_ / "trials.csv");
  trials_ << trials_head(*file_.study.domain);
}

ResultDirectory::~ResultDirectory() {
  if (committed_) return;
  trials_.close();
  std::error_code ignored;
  fs::remove_all(partial_, ignored);
}

void ResultDirectory::trial(const harness::Trial& trial) {
  append_trials_row(rows_, *file_.study.domain, trial);
  if (rows_.size() >= kBufferedBytes) flush_trials();
}

void ResultDirectory::flush_trials() {
  errno = 0;
  trials_.write(rows_.data(), static_cast<std::streamsize>(rows_.size()));
  rows_.clear();
  if (!trials_) fail_io("cannot write", partial_ / "trials.csv", last_error());
}

void ResultDirectory::write_file(const std::string& name, const std::string& text) const {
  write_whole_file(partial_ / name, text);
}

void ResultDirectory::commit(const harness::RunResult& result, const TrialRows& trials,
                             unsigned threads) {
  flush_trials();
  errno = 0;
  trials_.close();
  if (!trials_) fail_io("cannot write", partial_ / "trials.csv", last_error());
  write_file("study.toml", resolved_toml(file_));
  write_file("epochs.csv", epochs_csv(result));
  write_file("regret.csv", regret_csv(result));
  write_file("communication.csv", communication_csv(result));
  const std::vector<report::NamedFigure> figures = harness::all_figures(result);
  for (const auto& [name, svg] : figures) write_file("figures/" + name, svg);
  write_file("report.html", harness::report_html(result, figures));
  write_file("manifest.json", manifest_json(result, threads, trials));

  move_into_place();
  committed_ = true;
}

// The earlier results go only when the new ones have their name.
void ResultDirectory::move_into_place() const {
  check_target(directory_, overwrite_);  // somebody may have put something there meanwhile
  const fs::path earlier = partial_.string() + ".old";
  const bool replaces = fs::exists(directory_);
  std::error_code error, ignored;
  if (replaces) fs::rename(directory_, earlier, error);
  if (!error) fs::rename(partial_, directory_, error);
  if (error) {
    if (replaces) fs::rename(earlier, directory_, ignored);
    fail_io("cannot put the results into", directory_, error);
  }
  if (replaces) fs::remove_all(earlier, ignored);
}

}  // namespace duets::cli
