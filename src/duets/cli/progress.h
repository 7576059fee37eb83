// The progress of a study for people: a bar with the estimated time on a terminal, a line per epoch
// elsewhere (two when the run is large), nothing when quiet. Goes to standard error; standard
// output has only data.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "duets/cli/progress_bar.h"
#include "duets/protocol/coordinator.h"

namespace duets::cli {

enum class Verbosity : std::uint8_t { kQuiet, kNormal, kVerbose };

class Progress {
 public:
  /// For a study of `agents` with `horizon` queries each. `out` is usually stderr.
  Progress(std::FILE* out, Verbosity verbosity, std::uint32_t agents, std::uint32_t horizon);

  /// The points of the epoch are drawn.
  void epoch_began(std::uint32_t epoch, std::uint32_t length);
  void queries_done(std::uint64_t count);
  /// The coordinator computes; there are no other calls for a while.
  void exchange_began(std::uint32_t epoch);
  void epoch_ended(const protocol::EpochEnded& ended);
  /// Removes the bar so that other text can be printed.
  void clear() { bar_.clear(); }

 private:
  std::FILE* out_;
  Verbosity verbosity_;
  std::uint32_t agents_;
  bool large_;                  ///< print the time left after every epoch
  std::uint64_t prepared_ = 0;  ///< points drawn
  ProgressBar bar_;
};

/// One line for people about a closed epoch that has a report.
std::string epoch_line(const protocol::EpochEnded& ended, bool verbose);

}  // namespace duets::cli
