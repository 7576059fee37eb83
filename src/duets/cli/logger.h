// The log of `duets serve` and `duets agent`: one line per event on standard error, with time and
// level, as text or JSON.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>

#include "duets/base/enum_table.h"
#include "duets/cli/log_limiter.h"
#include "duets/service/log.h"

namespace duets::cli {

enum class LogFormat : std::uint8_t { kText, kJson };
constexpr auto enum_entries(LogFormat /*tag*/) {
  return base::entries<LogFormat>({{LogFormat::kText, "text"}, {LogFormat::kJson, "json"}});
}

struct LogFlags {
  service::LogLevel level = service::LogLevel::kInfo;  ///< less important lines are not shown
  LogFormat format = LogFormat::kText;
};

/// "2026-11-17T01:50:58.123Z warning small: agent 3: text (and 12 more like it)", or an object with
/// time, level, study, agent, message, peer, cause and repeats, without those that are empty. One
/// line, with its newline.
std::string log_line_text(const service::LogLine& line, double unix_seconds, LogFormat format);

/// Thread-safe.
class Logger {
 public:
  /// Seconds since 1970.
  using Clock = std::function<double()>;
  /// `out` must outlive it.
  explicit Logger(LogFlags flags, std::FILE* out = stderr);
  Logger(LogFlags flags, std::FILE* out, Clock clock);
  /// Shows the counts that were not shown yet.
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void write(const service::LogLine& line);
  /// Logs information that belongs to no study.
  void say(const std::string& message) { write({.message = message}); }
  /// Shows the counts of causes whose minute is over. Call it regularly.
  void tell_repeats();

  /// The same for the service. The Logger must outlive it.
  service::Log log();
  LogFormat format() const { return flags_.format; }

 private:
  void print(const service::LogLine& line, double now);

  const LogFlags flags_;
  std::FILE* const out_;
  const Clock clock_;
  std::mutex mutex_;
  LogLimiter limiter_;
};

/// Runs `body`. In a JSON log the error that ends it is a log line too, and is rethrown without its
/// text, which would otherwise be printed twice.
void logged(Logger& logger, const std::function<void()>& body);

}  // namespace duets::cli
