// The files of a run's result (docs/formats/results.md).
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "duets/cli/partial_directory.h"
#include "duets/cli/run_trials.h"
#include "duets/cli/study_file.h"
#include "duets/harness/run_result.h"
#include "duets/harness/run_tables.h"

namespace duets::cli {

/// By the name of the file.
using FileTexts = std::map<std::string, std::string, std::less<>>;

/// The tables, figures and page that follow from the result alone; regret only if it is known.
FileTexts result_files(const harness::RunResult& result);

/// A result directory that grows with its run (partial_directory.h).
class ResultDirectory {
 public:
  /// `overwrite` replaces an earlier result directory (holds_run()); without it the directory must
  /// not exist or must be empty.
  ResultDirectory(const std::filesystem::path& directory, bool overwrite, const StudyFile& file);

  /// The directory of the files until commit().
  const std::filesystem::path& partial() const { return files_.path(); }

  /// Appends a row to trials.csv. Rows are on disk after commit(), never all in memory.
  void trial(const harness::Trial& trial, std::string_view state = "reward");

  /// Writes the other files and gives the directory its name. `trials`: the queries in trials.csv,
  /// if a rule selects them.
  void commit(const harness::RunResult& result, const std::optional<TrialRows>& trials,
              unsigned threads);

 private:
  void flush_trials();

  PartialDirectory files_;
  const StudyFile& file_;
  harness::TrialTable trial_table_;
  std::ofstream trials_;
  std::string rows_;  ///< of trials.csv, still to be written
};

}  // namespace duets::cli
