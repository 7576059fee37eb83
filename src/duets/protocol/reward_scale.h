// From the objective's units to the model's, and back.
#pragma once

namespace duets::protocol {

/// The reward in model units is (sign * value - offset) / scale, sign = -1 when minimising.
struct RewardScale {
  bool minimise = false;
  double offset = 0;
  double scale = 1;  ///< > 0

  /// With the sign that makes larger better.
  double upward(double value) const { return minimise ? -value : value; }
  double reward(double value) const { return (upward(value) - offset) / scale; }
  double user_value(double reward) const { return upward(reward * scale + offset); }
};

/// Throws kInvalid naming the field of the study file: scale must be positive, both finite.
void validate(const RewardScale& scale);

}  // namespace duets::protocol
