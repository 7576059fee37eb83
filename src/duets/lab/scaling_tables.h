// The numbers of the scaling experiment as text.
#pragma once

#include <string>

#include "duets/lab/scaling_analysis.h"

namespace duets::lab {

/// CSV as in comparison_tables.h: shortest numbers that read back as the same double, an empty
/// field for what does not exist. Same analysis, same bytes.

/// One line for each size: function, agents, horizon, queries, exchanges, gamma, sqrt_n_t_gamma,
/// runs, regret_mean, regret_std, regret_low, regret_high, communication_paper,
/// communication_figure, communication_links (means), regret_ratio (mean / sqrt_n_t_gamma),
/// communication_ratio (paper / gamma).
std::string scaling_csv(const ScalingAnalysis& analysis);

/// One line for each fit: function, sweep, measure, sizes_used ("all" or "upper half"), sizes,
/// runs, slope, slope_std, low, high (95 %, each alone), verdict (family-wise 95 %).
std::string slopes_csv(const ScalingAnalysis& analysis);

/// For a terminal: the slopes and what they say. UTF-8, ends with a newline.
std::string scaling_text(const ScalingAnalysis& analysis);

/// "0.91 [0.87, 0.95]"; without the brackets for one run.
std::string slope_with_interval(const SlopeFit& fit);

/// What the slopes say about the theorem, in one sentence for each measure.
std::string scaling_verdict(const ScalingAnalysis& analysis, Growth growth);

}  // namespace duets::lab
