// Lines that others can bring about as often as they like: each cause is shown once a minute
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

/// Lines that are shown and their `repeats` add up to all lines of a cause. Times in seconds; a
/// clock that is set back begins the minutes anew.
class LogLimiter {
 public:
  static constexpr double kSeconds = 60;

  /// The line as it is to be shown now, or nothing: it is counted. Lines without a cause are shown.
  std::optional<service::LogLine> pass(const service::LogLine& line, double now);
  /// For each cause whose minute is over and that was not shown since: its last line.
  std::vector<service::LogLine> due(double now);
  /// The same for all causes, whatever the time.
  std::vector<service::LogLine> rest();

 private:
  struct Cause {
    double shown = 0;            ///< when
    std::uint64_t num_held = 0;  ///< lines since
    service::LogLine last = {};  ///< of them

    bool is_recent(double now) const { return now >= shown && now - shown < kSeconds; }
  };
  std::map<std::pair<std::string, std::string>, Cause> causes_;  ///< by cause and study
};

}  // namespace duets::cli
