#include "duets/protocol/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

// kWarmUp changes from paired doubling to the square root after this many epochs.
constexpr std::size_t kWarmUpEpochs = 6;

// floor(sqrt(n)) for any 64-bit n: the library root may be off by one near squares.
std::uint64_t integer_sqrt(std::uint64_t n) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n)));
  while (root * root > n) --root;
  while ((root + 1) * (root + 1) <= n) ++root;
  return root;
}

std::uint64_t paired_next(std::uint64_t last, std::size_t done) {
  return done % 2 == 1 ? last : 2 * last;
}

// The length by the rule after `done` epochs, the last of which was planned with length `last`.
std::uint64_t rule_next(ScheduleRule rule, std::uint64_t horizon, std::uint64_t last,
                        std::size_t done) {
  switch (rule) {
    case ScheduleRule::kSqrtFloor:
    case ScheduleRule::kAppendix:
      return integer_sqrt(horizon * last);
    case ScheduleRule::kSqrtCeil: {
      const std::uint64_t root = integer_sqrt(horizon * last);
      return root * root == horizon * last ? root : root + 1;
    }
    case ScheduleRule::kDoubling:
      return 2 * last;
    case ScheduleRule::kPairedDoubling:
      return paired_next(last, done);
    case ScheduleRule::kWarmUp:
      // An epoch is at most the horizon, so the root is at least the epoch before it.
      return done < kWarmUpEpochs ? paired_next(last, done) : integer_sqrt(horizon * last);
    case ScheduleRule::kExplicit:
      break;
  }
  throw base::Error(base::ErrorKind::kInvalid, "duets.schedule = explicit: has no rule");
}

bool absorbs_remainder(ScheduleRule rule) {
  return rule == ScheduleRule::kDoubling || rule == ScheduleRule::kPairedDoubling ||
         rule == ScheduleRule::kWarmUp;
}

}  // namespace

std::uint32_t first_length(ScheduleRule rule, std::uint32_t agents, std::uint32_t horizon,
                           std::uint32_t t1) {
  base::require(agents >= 1, "study.agents", fmt::format("{}", agents), "must be at least 1");
  if (rule != ScheduleRule::kAppendix) return t1;
  std::uint64_t root = integer_sqrt(horizon / agents);
  while (root * root * agents < horizon) ++root;
  // Beyond the horizon the first epoch is the only one.
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(root + t1, horizon));
}

std::vector<std::uint32_t> epoch_lengths(ScheduleRule rule, std::uint32_t horizon,
                                         std::uint32_t t1) {
  base::require(horizon >= 1, "study.horizon", fmt::format("{}", horizon), "must be at least 1");
  base::require(t1 >= 1, "duets.t1", fmt::format("{}", t1), "must be at least 1");
  base::require(rule != ScheduleRule::kExplicit, "duets.schedule", "explicit", "has no rule");
  std::vector<std::uint32_t> lengths;
  std::uint64_t planned = t1;
  std::uint32_t left = horizon;
  while (left > 0) {
    const auto length = static_cast<std::uint32_t>(std::min<std::uint64_t>(planned, left));
    if (absorbs_remainder(rule) && !lengths.empty() && length < lengths.back()) {
      lengths.back() += length;
    } else {
      lengths.push_back(length);
    }
    left -= length;
    if (left > 0) planned = rule_next(rule, horizon, planned, lengths.size());
  }
  return lengths;
}

std::uint32_t planned_length(ScheduleRule rule, std::uint32_t horizon, std::uint32_t t1,
                             const std::vector<std::uint32_t>& lengths, std::size_t epoch_index) {
  if (rule == ScheduleRule::kExplicit || absorbs_remainder(rule)) return lengths[epoch_index];
  if (epoch_index == 0) return t1;
  return static_cast<std::uint32_t>(
      rule_next(rule, horizon, lengths[epoch_index - 1], epoch_index));
}

}  // namespace duets::protocol
