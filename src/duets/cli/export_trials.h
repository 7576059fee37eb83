// trials.csv of an export, written and read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duets/cli/study_source.h"
#include "duets/harness/recorded_run.h"
#include "duets/service/agent_session.h"

namespace duets::cli {

/// A trial as trials.csv shows it.
struct TrialRow {
  harness::Trial trial;
  std::string_view state;
};
std::vector<TrialRow> trial_rows(const std::vector<service::JournalTrial>& trials,
                                 const StudyExport& study, const harness::Regrets& regrets);

/// The table, without regrets. The state of an answer is "reward", "infeasible" or "hole", or
/// "excluded" when its agent did not take part in the epoch.
std::string trials_csv(const std::vector<service::JournalTrial>& trials, const StudyExport& study);

/// Reads the table. The time of a query is not read, it follows from epoch and slot, and "excluded"
/// is read as a value: to know that every byte is in order, write the trials again. kInvalid naming
/// the line for what is no trial of the study, and for lines that are not in order.
std::vector<service::JournalTrial> parse_trials(std::string_view text,
                                                const protocol::Study& study);

}  // namespace duets::cli
