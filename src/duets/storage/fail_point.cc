#include "duets/storage/fail_point.h"

#ifdef DUETS_FAIL_POINTS
#include <fmt/format.h>
#include <signal.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "duets/storage/store.h"
#endif

namespace duets::storage {

#ifdef DUETS_FAIL_POINTS
namespace {

struct Plan {
  std::string name;
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool kills = false;
};

[[noreturn]] void refuse_plan(const std::string& text) {
  base::refuse("DUETS_FAIL_POINT", text, "must be NAME:COUNT:kill or NAME:COUNT[-LAST]:fail");
}

Plan parse_plan(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::size_t end = text.rfind(':');
  if (colon == std::string::npos || end == colon) refuse_plan(text);
  const std::string action = text.substr(end + 1);
  const std::string range = text.substr(colon + 1, end - colon - 1);
  Plan plan{text.substr(0, colon), 0, UINT64_MAX, action == "kill"};
  unsigned long long first = 0;
  unsigned long long last = 0;
  char rest = 0;
  const int fields = std::sscanf(range.c_str(), "%llu-%llu%c", &first, &last, &rest);
  const bool one = fields == 1 && range.find_first_not_of("0123456789") == std::string::npos;
  const bool two = fields == 2 && !plan.kills && last >= first;
  if (first == 0 || !(one || two) || !(plan.kills || action == "fail")) refuse_plan(text);
  plan.first = first;
  if (two) plan.last = last;
  return plan;
}

Plan environment_plan() {
  const char* text = std::getenv("DUETS_FAIL_POINT");
  return text == nullptr ? Plan{} : parse_plan(text);
}

}  // namespace

void fail_point(std::string_view name) {
  static const Plan plan = environment_plan();
  static std::mutex mutex;
  static std::uint64_t passed = 0;
  if (name != plan.name) return;
  const std::lock_guard hold(mutex);
  ++passed;
  if (passed < plan.first || passed > plan.last) return;
  if (plan.kills) raise(SIGKILL);
  throw StorageError(StorageError::Cause::kUnwritable,
                     fmt::format("{}: DUETS_FAIL_POINT asks for a failure here", name));
}
#else
void fail_point(std::string_view /*name*/) {}
#endif

}  // namespace duets::storage
