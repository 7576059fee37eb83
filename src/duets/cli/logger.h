// The log of `duets serve` and `duets agent`: one line an event on standard error, with the time
// and a level, for people or as JSON.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <string>

#include "duets/cli/log_limiter.h"
#include "duets/service/log.h"

namespace duets::cli {

enum class LogFormat : std::uint8_t { kText, kJson };

struct LogFlags {
  service::LogLevel level = service::LogLevel::kInfo;  ///< what is less important is not shown
  LogFormat format = LogFormat::kText;
};

/// "2026-11-17T01:50:58.123Z warning small: agent 3: text (and 12 more like it)", or an object with
/// time, level, study, agent, message, peer, cause and repeats, without those that are empty. Ends
/// with a newline and has no other.
std::string log_line_text(const service::LogLine& line, double unix_seconds, LogFormat format);

/// Thread-safe.
class Logger {
 public:
  /// Seconds since 1970.
  using Clock = std::function<double()>;
  /// `out` must outlive it.
  explicit Logger(LogFlags flags, std::FILE* out = stderr);
  Logger(LogFlags flags, std::FILE* out, Clock clock);
  /// Shows what was counted and not shown yet.
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void write(const service::LogLine& line);
  /// Information about no study in particular.
  void say(const std::string& message) { write({.message = message}); }
  /// Shows the counts of causes whose minute is over. To be called now and then.
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

/// Runs `body`. As JSON the error that ends it is a line of the log too; it is thrown on without
/// its text, which would be told twice.
void logged(Logger& logger, const std::function<void()>& body);

}  // namespace duets::cli
