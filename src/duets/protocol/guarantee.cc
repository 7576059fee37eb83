#include "duets/protocol/guarantee.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/count_text.h"
#include "duets/protocol/run_summary.h"

namespace duets::protocol {

std::string guarantee_of(const Study& study, bool complete) {
  if (study.mode == Mode::kTuned) {
    return fmt::format(
        "None: mode = \"tuned\" cuts by {}{}, not by the theorem's width. Only mode = "
        "\"theory\" claims the theorem.",
        study.cut == CutRule::kDecision ? "decision" : "a chosen beta",
        study.parameters == Parameters::kLearned ? " and a learned model" : "");
  }
  if (!complete) {
    return "None: an agent was excluded or a query failed, and failing may depend on the reward.";
  }
  // Every stage spends at most delta: its widths count the epochs of all stages until its end.
  const auto num_stages = static_cast<double>(stages(study).size());
  const std::string bounds = fmt::format(
      "The confidence bounds of the theorem hold with probability at least {}, if the function's "
      "RKHS norm is at most {} and the noise is {}-sub-Gaussian.",
      std::max(0.0, 1 - num_stages * study.delta), study.norm_bound, study.subgaussian);
  if (horizon_changes_of(study).empty()) return bounds;
  return bounds +
         " The horizon was changed: schedule and widths of each stage are those of the horizon it "
         "was planned with, and the theorem's bound on the regret, which needs one horizon from "
         "the start, is not claimed.";
}

std::string horizon_changes_of(const Study& study) {
  const std::vector<Stage> all = stages(study);
  std::string text;
  for (const Stage& stage : all) {
    text += text.empty() ? fmt::format("planned with {} of each agent",
                                       base::count_text(stage.horizon, "query", "queries"))
                         : fmt::format(", extended to {}", stage.horizon);
    if (stage.lengths.back() == 0) {
      text += fmt::format(", ended early after epoch {}", stage.end() - 1);
    }
  }
  return all.size() == 1 && study.ended_after.empty() ? "" : text;
}

std::string interval_meaning_of(const Study& study) {
  if (study.mode == Mode::kTheory) {
    return fmt::format("the theorem's bound, at delta = {}", study.delta);
  }
  if (study.parameters == Parameters::kLearned) {
    return fmt::format("mean +- {} posterior deviations of a learned model", kLearnedInterval);
  }
  return fmt::format("mean +- {} (beta) posterior deviations: a scale, not a probability",
                     study.beta);
}

}  // namespace duets::protocol
