// Log lines of the service for operators, with a level and what they are about. Nothing here
// prints: the caller that provides the Log decides what happens to the lines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "duets/base/enum_table.h"

namespace duets::service {

enum class LogLevel : std::uint8_t {
  kError,    ///< something ended that should not have
  kWarning,  ///< refused, missed, or retried
  kInfo,
  kDebug,
};

constexpr auto enum_entries(LogLevel /*tag*/) {
  return base::entries<LogLevel>({{LogLevel::kError, "error"},
                                  {LogLevel::kWarning, "warning"},
                                  {LogLevel::kInfo, "info"},
                                  {LogLevel::kDebug, "debug"}});
}

struct LogLine {
  std::string message;
  LogLevel level = LogLevel::kInfo;
  /// Set for lines that others can cause as often as they like; one of a fixed set. A sink shows
  /// some of the lines with a cause and counts the rest.
  std::string cause = {};
  std::string study = {};                   ///< empty: none in particular
  std::optional<std::uint32_t> agent = {};  ///< likewise
  std::string peer = {};                    ///< address of the other side; empty: none, or unknown
  std::uint64_t repeats = 0;                ///< set by the sink: lines of this cause not shown
};

/// Called from several threads.
using Log = std::function<void(const LogLine& line)>;

/// "study: agent 3: message (from 192.0.2.7:5123)", as far as these are known.
std::string log_text(const LogLine& line);

}  // namespace duets::service
