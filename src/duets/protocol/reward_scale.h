// From the objective's units to the model's, and back.
#pragma once

#include <cstdint>

#include "duets/base/enum_table.h"

namespace duets::protocol {

enum class Direction : std::uint8_t { kMaximize = 0, kMinimize = 1 };
constexpr auto enum_entries(Direction /*tag*/) {
  return base::entries<Direction>(
      {{Direction::kMaximize, "maximize"}, {Direction::kMinimize, "minimize"}});
}

/// The reward in model units is (sign * value - offset) / scale, sign = -1 when minimising.
struct RewardScale {
  Direction direction = Direction::kMaximize;
  double offset = 0;
  double scale = 1;  ///< > 0

  /// With the sign that makes larger better.
  double upward(double value) const { return direction == Direction::kMinimize ? -value : value; }
  double reward(double value) const { return (upward(value) - offset) / scale; }
  double user_value(double reward) const { return upward(reward * scale + offset); }

  friend bool operator==(const RewardScale&, const RewardScale&) = default;
};

/// Throws kInvalid naming the field of the study file: scale must be positive, both finite.
void validate(const RewardScale& scale);

}  // namespace duets::protocol
