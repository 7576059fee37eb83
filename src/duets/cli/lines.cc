#include "duets/cli/lines.h"

#include <fmt/format.h>

#include <cstdio>

namespace duets::cli {

void Lines::say(const std::string& line) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  fmt::print(stderr, "{}\n", line);
}

service::Log Lines::log() {
  return [this](const service::LogLine& line) { say(log_text(line)); };
}

}  // namespace duets::cli
