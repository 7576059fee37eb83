#include "duets/cli/run_trials.h"

#include <fmt/format.h>

namespace duets::cli {

TrialRows choose_trial_rows(const std::string& word, std::uint64_t num_queries) {
  const std::string kept =
      !word.empty() ? word : std::string(num_queries <= kAllTrials ? "all" : "sampled");
  if (kept == "none") return {kept, {0}};
  if (kept == "sampled") return {kept, harness::thinned_to(num_queries, kSampledTrials)};
  return {"all", {1}};
}

std::string rule_of(const TrialRows& rows) {
  if (rows.thinning.stride == 0) return "no query";
  if (rows.thinning.stride == 1) return "every query";
  return fmt::format("(agent + t) mod {} == 0", rows.thinning.stride);
}

}  // namespace duets::cli
