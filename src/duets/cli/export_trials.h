// Writes and reads trials.csv of an export.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duets/cli/study_source.h"
#include "duets/harness/recorded_run.h"
#include "duets/service/agent_session.h"

namespace duets::cli {

/// A row of trials.csv.
struct TrialRow {
  harness::Trial trial;
  std::string_view state;
};
std::vector<TrialRow> trial_rows(const std::vector<service::JournalTrial>& trials,
                                 const StudyExport& study, const harness::Regrets& regrets);

/// The table, without regrets. The state of an answer is "reward", "infeasible" or "hole", or
/// "excluded" when its agent did not take part in the epoch.
std::string trials_csv(const std::vector<service::JournalTrial>& trials, const StudyExport& study);

/// Reads the table. The time of a query is not read, since it follows from epoch and slot, and
/// "excluded" is read as a value: to check every byte, write the trials again. kInvalid naming the
/// line for a row that is not a trial of the study, and for rows that are not in order.
std::vector<service::JournalTrial> parse_trials(std::string_view text,
                                                const protocol::Study& study);

}  // namespace duets::cli
