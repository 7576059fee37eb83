// Tables, figure and page of the self-tuning experiment.
#pragma once

#include <string>
#include <vector>

#include "duets/lab/findings.h"
#include "duets/lab/self_tuning_analysis.h"

namespace duets::lab {

/// Tables "self_tuning", a row for each condition, function and entry, and "means", geometric means
/// over functions; ratios are those of means with 95 % intervals, paired by seed. Figure
/// "self_tuning.svg".
Findings self_tuning_findings(const SelfTuningAnalysis& analysis, const PageHead& head);

/// Those whose ratios are to the rival (presets, "earn", peers), in order, and the ingredients of
/// "auto".
std::vector<std::string> presets_in(const SelfTuningTask& task);
std::vector<std::string> ingredients_in(const SelfTuningTask& task);

/// Whether the condition is shown function by function: all but the stress cases.
bool has_functions_of_its_own(std::string_view condition);

}  // namespace duets::lab
