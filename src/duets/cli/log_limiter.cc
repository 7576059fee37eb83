#include "duets/cli/log_limiter.h"

#include <limits>
#include <utility>

namespace duets::cli {

using service::LogLine;

std::optional<LogLine> LogLimiter::pass(const LogLine& line, double now) {
  if (line.cause.empty()) return line;
  const auto [entry, fresh] = causes_.try_emplace({line.cause, line.study});
  Cause& cause = entry->second;
  if (!fresh && cause.is_recent(now)) {
    ++cause.num_held;
    cause.last = line;
    return std::nullopt;
  }
  LogLine shown = line;
  shown.repeats = cause.num_held;
  cause = {now, 0, {}};
  return shown;
}

std::vector<LogLine> LogLimiter::due(double now) {
  std::vector<LogLine> lines;
  for (auto entry = causes_.begin(); entry != causes_.end();) {
    Cause& cause = entry->second;
    if (cause.is_recent(now)) {
      ++entry;
    } else if (cause.num_held == 0) {
      entry = causes_.erase(entry);
    } else {
      lines.push_back(std::move(cause.last));
      lines.back().repeats = cause.num_held - 1;
      cause = {now, 0, {}};
      ++entry;
    }
  }
  return lines;
}

std::vector<LogLine> LogLimiter::rest() { return due(std::numeric_limits<double>::infinity()); }

}  // namespace duets::cli
