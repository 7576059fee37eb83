#include "duets/protocol/guarantee.h"

#include <fmt/format.h>

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
  return fmt::format(
      "The confidence bounds of the theorem hold with probability at least {}, if the function's "
      "RKHS norm is at most {} and the noise is {}-sub-Gaussian.",
      1 - study.delta, study.norm_bound, study.subgaussian);
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
