// The final regret, recommendation and communication of one contender, over the seeds of a task.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "duets/lab/analysis.h"
#include "duets/lab/experiment.h"
#include "duets/lab/recommendations.h"
#include "duets/lab/statistics.h"

namespace duets::lab {

struct FinalNumbers {
  std::vector<double> final_regret{};                                  ///< by seed
  std::array<std::vector<double>, kNumLedgers> final_communication{};  ///< by ledger and seed
  Recommendations recommendation{};
  Summary regret{};
  std::array<Summary, kNumLedgers> communication{};
  double rounds = 0;  ///< mean number of rounds after which something was sent
};

/// Of contender `index`, called `name` in errors. kInvalid when a unit lacks its run.
FinalNumbers final_numbers(const std::vector<Unit>& units, std::size_t index,
                           const std::string& name, const Bootstrap& bootstrap);

}  // namespace duets::lab
