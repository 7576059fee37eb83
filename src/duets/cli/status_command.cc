#include "duets/cli/status_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <thread>

#include "duets/base/error.h"
#include "duets/cli/lines.h"
#include "duets/cli/status_events.h"
#include "duets/cli/status_text.h"

namespace duets::cli {
namespace {

constexpr auto kRefresh = std::chrono::seconds(2);
constexpr const char* kClearScreen = "\033[H\033[2J";

std::vector<v1::StudyStatus> statuses_of(service::Operators& source, const std::string& name) {
  if (!name.empty()) return {source.status(name)};
  std::vector<v1::StudyStatus> statuses;
  for (const v1::StudyStatus& status : source.list()) {
    statuses.push_back(source.status(status.study()));
  }
  return statuses;
}

void watch_study(service::Operators& source, const std::string& name) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  v1::StudyStatus status = source.status(name);
  std::optional<v1::StudyStatus> before;
  while (true) {
    if (terminal) {
      std::cout << kClearScreen << status_table(status);
    } else {
      for (const std::string& line : changes(before ? &*before : nullptr, status)) {
        std::cout << status.study() << ": " << line << "\n";
      }
    }
    std::cout << std::flush;
    if (is_over(status) || !std::cout) return;
    std::this_thread::sleep_for(kRefresh);
    before = std::move(status);
    status = source.status(before->study());
  }
}

}  // namespace

void print_status(const StatusFlags& flags) {
  Lines lines(Verbosity::kNormal);
  const auto source = open_source(flags.source, lines.log());
  if (flags.watch) return watch_study(*source, flags.study);
  const std::vector<v1::StudyStatus> statuses = statuses_of(*source, flags.study);
  if (statuses.empty())
    lines.say("there is no study yet; create one with `duets study create STUDY.toml`");
  std::cout << statuses_text(statuses, flags.format);
}

void print_best(const StatusFlags& flags) {
  Lines lines(Verbosity::kNormal);
  const auto source = open_source(flags.source, lines.log());
  std::cout << best_text(source->status(flags.study), flags.format);
}

}  // namespace duets::cli
