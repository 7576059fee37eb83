// The files of a finished run (docs/formats/results.md).
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "duets/cli/run_trials.h"
#include "duets/cli/study_file.h"
#include "duets/harness/run_result.h"

namespace duets::cli {

/// Writes into "<directory>.partial" and moves it into place when everything is there, so that a
/// directory with the final name is always complete. Throws kInvalid when the directory exists and
/// may not be overwritten, kIo when a file cannot be written.
class ResultDirectory {
 public:
  /// `overwrite` replaces an earlier result directory (holds_run()); without it only a
  /// directory that is not there or empty will do.
  ResultDirectory(const std::filesystem::path& directory, bool overwrite, const StudyFile& file);
  /// Removes what was not committed.
  ~ResultDirectory();
  ResultDirectory(const ResultDirectory&) = delete;
  ResultDirectory& operator=(const ResultDirectory&) = delete;

  /// Where the files are until commit().
  const std::filesystem::path& partial() const { return partial_; }

  /// Appends a row to trials.csv. Rows are on disk after commit(), never all in memory.
  void trial(const harness::Trial& trial);

  /// Writes the other files and gives the directory its name.
  void commit(const harness::RunResult& result, const TrialRows& trials, unsigned threads);

 private:
  void write_file(const std::string& name, const std::string& text) const;
  void flush_trials();
  void move_into_place() const;

  std::filesystem::path directory_;
  std::filesystem::path partial_;
  bool overwrite_;
  bool committed_ = false;
  const StudyFile& file_;
  std::ofstream trials_;
  std::string rows_;  ///< of trials.csv, still to be written
};

}  // namespace duets::cli
