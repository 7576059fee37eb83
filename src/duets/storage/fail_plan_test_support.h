// Fail points from a line of text, for tests of this module and for the program that the fleet
// tests break (tests/integration/fleet/breakable.cc).
#pragma once

#include <fmt/format.h>
#include <signal.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "duets/storage/fail_point.h"
#include "duets/storage/store.h"

namespace duets::storage {

/// A failure and when it happens:
///
///   NAME:COUNT:kill        the COUNT-th time (from 1) NAME is passed, the process kills itself
///   NAME:COUNT:fail        from the COUNT-th time on, NAME throws StorageError(kUnwritable)
///   NAME:COUNT-LAST:fail   likewise, until the LAST-th time
struct FailPlan {
  std::string name;
  std::uint64_t first = 0;
  std::uint64_t last = UINT64_MAX;
  bool kills = false;
};

/// kInvalid when the text is not a plan.
inline FailPlan parse_fail_plan(const std::string& text) {
  const auto require = [&](bool good) {
    if (good) return;
    base::refuse("DUETS_FAIL_POINT", text, "must be NAME:COUNT:kill or NAME:COUNT[-LAST]:fail");
  };
  const std::size_t colon = text.find(':');
  const std::size_t end = text.rfind(':');
  require(colon != std::string::npos && end != colon);
  const std::string action = text.substr(end + 1);
  const std::string range = text.substr(colon + 1, end - colon - 1);
  FailPlan plan{.name = text.substr(0, colon), .kills = action == "kill"};
  unsigned long long first = 0;
  unsigned long long last = 0;
  char rest = 0;
  const int fields = std::sscanf(range.c_str(), "%llu-%llu%c", &first, &last, &rest);
  const bool one = fields == 1 && range.find_first_not_of("0123456789") == std::string::npos;
  const bool two = fields == 2 && !plan.kills && last >= first;
  require(first > 0 && (one || two) && (plan.kills || action == "fail"));
  plan.first = first;
  if (two) plan.last = last;
  return plan;
}

/// From now on this process follows the plan.
inline void install_fail_plan(const std::string& text) {
  struct Progress {
    FailPlan plan;
    std::mutex mutex;
    std::uint64_t passed = 0;
  };
  const auto progress = std::make_shared<Progress>();
  progress->plan = parse_fail_plan(text);
  install_fail_point([progress](std::string_view place) {
    const FailPlan& plan = progress->plan;
    if (place != plan.name) return;
    const std::lock_guard hold(progress->mutex);
    ++progress->passed;
    if (progress->passed < plan.first || progress->passed > plan.last) return;
    if (plan.kills) raise(SIGKILL);
    throw StorageError(StorageError::Cause::kUnwritable,
                       fmt::format("{}: failure requested by DUETS_FAIL_POINT", place));
  });
}

}  // namespace duets::storage
