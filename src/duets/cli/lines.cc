#include "duets/cli/lines.h"

#include <fmt/format.h>

#include <cstdio>

#include "duets/cli/print_to.h"

namespace duets::cli {

void Lines::say(const std::string& line) {
  if (quiet_) return;
  const std::lock_guard lock(mutex_);
  print_to(stderr, "{}\n", line);
}

service::Log Lines::log() {
  return [this](const service::LogLine& line) { say(log_text(line)); };
}

}  // namespace duets::cli
