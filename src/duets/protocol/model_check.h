// Checks whether a learned model predicts rewards that it has not seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/protocol/report.h"

namespace duets::protocol {

/// Of the epochs whose rewards the model of the earlier epochs predicted, the one whose surprise is
/// farthest from 1, as a ratio; epochs with too few rewards to decide count where all have too few.
struct ModelCheck {
  base::EpochId epoch{};
  std::size_t num_epochs = 0;  ///< that were predicted
  std::uint64_t num_rewards = 0;
  double surprise = 1;  ///< mean squared standardised residual
  /// Within a factor of four of 1, or too few rewards to decide. Residuals of neighbours are not
  /// independent, so a mean over few says little.
  bool fits = true;
};

/// None when parameters are fixed or no epoch was predicted.
std::optional<ModelCheck> check_model(const std::vector<EpochReport>& reports);

/// The result as a sentence.
std::string model_check_text(const ModelCheck& check);

}  // namespace duets::protocol
