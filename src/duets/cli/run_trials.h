// Selects the queries of a run that get a row in trials.csv.
#pragma once

#include <cstdint>
#include <string>

#include "duets/harness/thinning.h"

namespace duets::cli {

/// Up to this many queries, all of them have a row by default.
inline constexpr std::uint64_t kAllTrials = 1'000'000;
/// The target number of rows for "sampled".
inline constexpr std::uint64_t kSampledTrials = 100'000;

struct TrialRows {
  std::string kept = "all";  ///< "all", "sampled" or "none"
  harness::QueryThinning thinning{};
};

/// `word` is one of the three, or empty: "all" up to kAllTrials, "sampled" above. A sample of a run
/// with at most kSampledTrials queries is all of it.
TrialRows choose_trial_rows(const std::string& word, std::uint64_t num_queries);

/// The rule in words: "(agent + t) mod 100 == 0".
std::string rule_of(const TrialRows& rows);

}  // namespace duets::cli
