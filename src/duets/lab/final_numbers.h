// The final regret, recommendation and communication of one contender, over the seeds of a task.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "duets/lab/analysis.h"
#include "duets/lab/experiment.h"
#include "duets/lab/recommendations.h"
#include "duets/lab/statistics.h"

namespace duets::lab {

struct FinalNumbers {
  std::vector<double> final_regret{};                        ///< by seed
  std::array<std::vector<double>, 3> final_communication{};  ///< by ledger and seed
  Recommendations recommendation{};
  Summary regret{};
  std::array<Summary, 3> communication{};
};

/// Of contender `index`, called `name` in errors. kInvalid when a unit lacks its run.
FinalNumbers final_numbers(const std::vector<Unit>& units, std::size_t index,
                           const std::string& name, const Bootstrap& bootstrap);

/// Contenders of one kind become the best of them: `next` takes the place of the entry of its kind
/// if it has less regret, and is added where there is none.
template <class Entry, class IsSame>
void keep_best(std::vector<Entry>& entries, Entry next, const IsSame& is_same) {
  const auto same = std::find_if(entries.begin(), entries.end(),
                                 [&](const Entry& entry) { return is_same(entry, next); });
  if (same == entries.end()) {
    entries.push_back(std::move(next));
  } else if (next.regret.mean < same->regret.mean) {
    *same = std::move(next);
  }
}

}  // namespace duets::lab
