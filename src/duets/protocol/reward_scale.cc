#include "duets/protocol/reward_scale.h"

#include <fmt/format.h>

#include <cmath>

#include "duets/base/error.h"

namespace duets::protocol {

void validate(const RewardScale& scale) {
  base::require(std::isfinite(scale.offset), "objective.offset", fmt::format("{}", scale.offset),
                "must be finite");
  base::require(std::isfinite(scale.scale) && scale.scale > 0, "objective.scale",
                fmt::format("{}", scale.scale), "must be positive and finite");
}

}  // namespace duets::protocol
