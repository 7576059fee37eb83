// Epoch lengths: how many queries each agent makes before the next exchange.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"

namespace duets::protocol {

enum class ScheduleRule : std::uint8_t {
  kSqrtFloor = 0,       ///< T_{j+1} = floor(sqrt(T T_j)), the paper's
  kSqrtCeil = 1,        ///< T_{j+1} = ceil(sqrt(T T_j)), what the published curves used
  kDoubling = 2,        ///< T1, 2 T1, 4 T1, ...
  kPairedDoubling = 3,  ///< T1, T1, 2 T1, 2 T1, ...
  kExplicit = 4,        ///< a list
  kWarmUp = 5,          ///< T1, T1, 2 T1, 2 T1, 4 T1, 4 T1, then floor(sqrt(T T_j))
  kAppendix = 6,        ///< kSqrtFloor after a first epoch of ceil(sqrt(T / N)) + t1, the choice of
                        ///< the paper's appendix: t1 is its constant M
};

constexpr auto enum_entries(ScheduleRule /*tag*/) {
  return base::entries<ScheduleRule>({{ScheduleRule::kSqrtFloor, "sqrt-floor"},
                                      {ScheduleRule::kSqrtCeil, "sqrt-ceil"},
                                      {ScheduleRule::kDoubling, "doubling"},
                                      {ScheduleRule::kPairedDoubling, "paired-doubling"},
                                      {ScheduleRule::kWarmUp, "warm-up"},
                                      {ScheduleRule::kAppendix, "appendix"},
                                      {ScheduleRule::kExplicit, "explicit"}});
}

/// The length that the first epoch is planned with: t1, or by kAppendix more. kInvalid when agents
/// is 0. Exact integer arithmetic.
std::uint32_t first_length(ScheduleRule rule, std::uint32_t agents, std::uint32_t horizon,
                           std::uint32_t t1);

/// Lengths that sum to `horizon`, the first planned with t1. The square-root rules keep a short
/// last epoch; the doubling rules and kWarmUp add a remainder that is shorter than the epoch before
/// it to that epoch, so their lengths never shrink. t1 > horizon gives one epoch of length horizon.
/// Exact integer arithmetic. kInvalid when horizon or t1 is 0, or the rule is kExplicit. O(number
/// of epochs), which is O(log horizon) at most.
std::vector<std::uint32_t> epoch_lengths(ScheduleRule rule, std::uint32_t horizon,
                                         std::uint32_t t1);

/// The lengths by the rule, before the horizon shortens the last one (equal to epoch_lengths except
/// for the last entry). For reports.
std::uint32_t planned_length(ScheduleRule rule, std::uint32_t horizon, std::uint32_t t1,
                             const std::vector<std::uint32_t>& lengths, std::size_t epoch_index);

}  // namespace duets::protocol
