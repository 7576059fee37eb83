// What a person sees while a study runs: a bar with the estimated time on a terminal, a line per
// epoch elsewhere, nothing when quiet. Goes to standard error; standard output carries data only.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>

#include "duets/protocol/report.h"

namespace duets::cli {

enum class Verbosity : std::uint8_t { kQuiet, kNormal, kVerbose };

class Progress {
 public:
  /// `total` queries in all. `out` is usually stderr.
  Progress(std::FILE* out, Verbosity verbosity, std::uint64_t total);
  /// Clears a bar that is still there.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void query_done();
  void epoch_ended(const protocol::EpochReport& report);
  /// Removes the bar so that other text can be printed.
  void clear();

 private:
  void draw_bar();

  std::FILE* out_;
  Verbosity verbosity_;
  bool terminal_;
  bool bar_shown_ = false;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_drawn_;
};

/// "12 s", "3 min 05 s", "2 h 10 min".
std::string duration_text(double seconds);

/// One line for people about a closed epoch.
std::string epoch_line(const protocol::EpochReport& report, bool verbose);

}  // namespace duets::cli
