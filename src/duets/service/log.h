// What the service tells an operator: lines with a level and what they are about. Nothing here
// prints; who gives the service a Log decides what becomes of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "duets/base/enum_table.h"

namespace duets::service {

enum class LogLevel : std::uint8_t {
  kError,    ///< something has ended that should not have
  kWarning,  ///< refused, missed, or tried again
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
  /// What others can bring about as often as they like has a cause, one of a fixed set. A sink
  /// shows a cause now and then and counts the rest.
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
