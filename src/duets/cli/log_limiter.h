// Limits log lines that others can cause as often as they like: each cause is shown once per minute
// and study, the rest are counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duets/service/log.h"

namespace duets::cli {

/// The shown lines and their `repeats` add up to all lines of a cause. Times in seconds; if the
/// clock is set back, the minutes start again.
class LogLimiter {
 public:
  static constexpr double kSeconds = 60;

  /// The line to show now, or nothing: it is counted. Lines without a cause are always shown.
  std::optional<service::LogLine> pass(const service::LogLine& line, double now);
  /// For each cause that was counted and not shown for a minute: its last line.
  std::vector<service::LogLine> due(double now);
  /// The same for all causes, whatever the time.
  std::vector<service::LogLine> rest();

 private:
  struct Cause {
    double shown = 0;            ///< when it was shown
    std::uint64_t num_held = 0;  ///< lines since then
    service::LogLine last = {};  ///< the last of them

    bool is_recent(double now) const { return now >= shown && now - shown < kSeconds; }
  };
  std::map<std::pair<std::string, std::string>, Cause> causes_;  ///< by cause and study
};

}  // namespace duets::cli
