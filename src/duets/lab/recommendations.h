// Regret of the points that an algorithm recommends at the end, over the seeds of a task.
#pragma once

#include <span>
#include <vector>

#include "duets/lab/curves.h"
#include "duets/lab/statistics.h"

namespace duets::lab {

struct Recommendations {
  std::vector<double> final_regret{};  ///< Curves::recommendation_regret, by seed
  Summary regret{};
  double lost = 0;  ///< share of the runs that lost the optimum
};

/// Of the runs of one contender. kInvalid without runs, or when a number is not finite.
Recommendations recommendations_of(std::span<const Curves* const> runs, const Bootstrap& bootstrap);

}  // namespace duets::lab
