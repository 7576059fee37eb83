// The progress of a local run for people: a bar with the best value and the time left on a
// terminal, a line per epoch elsewhere, nothing when quiet. Goes to standard error.
#pragma once

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <string>

#include "duets/cli/progress.h"
#include "duets/cli/progress_bar.h"
#include "duets/protocol/reward_scale.h"
#include "duets/service/agent_session.h"

namespace duets::cli {

/// Thread-safe.
class LocalProgress {
 public:
  /// For `total` queries. `out` is usually stderr.
  LocalProgress(std::FILE* out, Verbosity verbosity, std::uint64_t total,
                const protocol::RewardScale& scale);

  /// There are so many queries in all.
  void expect(std::uint64_t total);
  /// One more answer; `stored`: an earlier run has made it.
  void answered(const service::JournalTrial& trial, bool stored);
  void epoch_began(std::uint32_t epoch);
  void epoch_ended(const protocol::EpochEnded& ended);
  /// Redraws the bar.
  void look();
  /// A line of text, unless quiet.
  void line(const std::string& text);
  /// Removes the bar: there will be no call for a while.
  void clear();

 private:
  std::string best_text() const;
  void print(const std::string& text);

  std::FILE* out_;
  Verbosity verbosity_;
  protocol::RewardScale scale_;
  std::mutex mutex_;
  ProgressBar bar_;
  std::uint32_t epoch_ = 1;
  std::optional<double> best_;  ///< value, user's units
};

}  // namespace duets::cli
