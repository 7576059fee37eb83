// Whether a learned model foretells rewards that it has not seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/protocol/report.h"

namespace duets::protocol {

/// The last epoch whose rewards were foretold by the model of the epochs before.
struct ModelCheck {
  base::EpochId epoch{};
  std::uint64_t num_rewards = 0;
  double surprise = 1;  ///< mean squared standardised residual
  /// Within a factor of four of 1, or too few rewards to tell. Residuals of neighbours are not
  /// independent, so a mean over few says little.
  bool fits = true;
};

/// None when parameters are fixed or no epoch was foretold.
std::optional<ModelCheck> check_model(const std::vector<EpochReport>& reports);

/// One sentence for people.
std::string model_check_text(const ModelCheck& check);

}  // namespace duets::protocol
