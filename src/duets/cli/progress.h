// What a person sees while a study runs: a bar with the estimated time on a terminal, a line per
// epoch elsewhere, nothing when quiet. Goes to standard error; standard output carries data only.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "duets/cli/progress_bar.h"
#include "duets/protocol/report.h"

namespace duets::cli {

enum class Verbosity : std::uint8_t { kQuiet, kNormal, kVerbose };

class Progress {
 public:
  /// `total` queries in all. `out` is usually stderr.
  Progress(std::FILE* out, Verbosity verbosity, std::uint64_t total);

  void query_done();
  void epoch_ended(const protocol::EpochReport& report);
  /// Removes the bar so that other text can be printed.
  void clear() { bar_.clear(); }

 private:
  std::FILE* out_;
  Verbosity verbosity_;
  ProgressBar bar_;
};

/// One line for people about a closed epoch.
std::string epoch_line(const protocol::EpochReport& report, bool verbose);

}  // namespace duets::cli
