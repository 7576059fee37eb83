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

StudyView view_of(StudySource& source, const std::string& name) {
  return {source.status(name), source.definition(name).study->domain};
}

std::vector<StudyView> views_of(StudySource& source, const std::string& name) {
  if (!name.empty()) return {view_of(source, name)};
  std::vector<StudyView> views;
  for (const service::StudyStatus& status : source.list()) {
    views.push_back(view_of(source, status.name));
  }
  return views;
}

void watch_study(StudySource& source, const std::string& name) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  StudyView view = view_of(source, name);
  std::optional<service::StudyStatus> before;
  while (true) {
    if (terminal) {
      std::cout << kClearScreen << status_table(view);
    } else {
      for (const std::string& line : changes(before ? &*before : nullptr, view.status)) {
        std::cout << view.status.name << ": " << line << "\n";
      }
    }
    std::cout << std::flush;
    if (is_over(view.status) || !std::cout) return;
    std::this_thread::sleep_for(kRefresh);
    before = std::move(view.status);
    view.status = source.status(before->name);
  }
}

}  // namespace

void print_status(const StatusFlags& flags) {
  Lines lines(Verbosity::kNormal);
  const auto source = open_source(flags.source, lines.log());
  if (flags.watch) return watch_study(*source, flags.study);
  const std::vector<StudyView> views = views_of(*source, flags.study);
  if (views.empty()) lines.say("there is no study yet; `duets study create STUDY.toml` makes one");
  std::cout << statuses_text(views, flags.format);
}

void print_best(const StatusFlags& flags) {
  Lines lines(Verbosity::kNormal);
  const auto source = open_source(flags.source, lines.log());
  std::cout << best_text(view_of(*source, flags.study), flags.format);
}

}  // namespace duets::cli
