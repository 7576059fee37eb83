// Shows what a run has found, a run of this process and a deployed study alike.
#pragma once

#include <optional>
#include <string>

#include "duets/cli/summary.h"
#include "duets/domain/shown_value.h"

namespace duets::v1 {
class BestTrial;
class Param;
class Recommendation;
}  // namespace duets::v1

namespace duets::cli {

/// The value of a parameter, as its type has it.
domain::ShownValue shown_value(const v1::Param& param);

/// Rows of a table for people. `truth`: what is known in a simulation, in a phrase.
void add_recommendation(const v1::Recommendation& found, const std::string& truth, Rows& rows);
void add_best_trial(const v1::BestTrial& found, Rows& rows);

/// As the messages that a coordinator would send of this run; nothing where there is none.
std::optional<v1::Recommendation> recommendation_of(const harness::RunResult& run);
std::optional<v1::BestTrial> best_trial_of(const harness::RunResult& run);

}  // namespace duets::cli
