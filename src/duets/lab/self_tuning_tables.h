// The numbers of the self-tuning presets as text.
#pragma once

#include <string>
#include <vector>

#include "duets/lab/self_tuning_analysis.h"

namespace duets::lab {

/// CSV as in comparison_tables.h. Same analysis, same bytes. Ratios are those of means, `low` and
/// `high` their 95 % intervals, paired by seed.

/// One line for each condition, function and entry: condition, function, name, setting, runs,
/// regret_mean, regret_std, regret_low, regret_high, communication_paper, communication_figure,
/// communication_links (means), reference, and for regret, paper and links: x_ratio, x_ratio_low,
/// x_ratio_high.
std::string self_tuning_csv(const SelfTuningAnalysis& analysis);

/// Geometric means over functions: condition, group, name, reference, functions, runs, and the
/// ratios as above.
std::string self_tuning_means_csv(const SelfTuningAnalysis& analysis);

/// For a terminal: for each condition with more than one group a line per function, else the
/// geometric means; then the ingredients. UTF-8, ends with a newline.
std::string self_tuning_text(const SelfTuningAnalysis& analysis);

/// "0.83* / 0.12": regret, reals of the paper's ledger; an asterisk marks a regret ratio that is
/// established to be below 1, a minus sign one above.
std::string ratios_text(const Ratios& ratios);
/// "0.83 [0.71, 0.97]"; a dash for nothing.
std::string ratio_text(const std::optional<Ratio>& ratio);

/// The presets, in order, that the condition was run with, and the ingredients of "auto".
std::vector<std::string> presets_in(const SelfTuningTask& task);
std::vector<std::string> ingredients_in(const SelfTuningTask& task);

/// Whether the condition is shown function by function: all but the stress cases.
bool has_functions_of_its_own(std::string_view condition);

}  // namespace duets::lab
