// The figure of the scaling experiment.
#pragma once

#include <string>

#include "duets/lab/scaling_analysis.h"

namespace duets::lab {

/// Regret against sqrt(N T gamma) above, communication against gamma below; the sweep over T on the
/// left, over N on the right. Logarithmic axes: a power is a line. Means with 95 % bands, and a
/// line of slope 1 to compare with. Same input, same bytes.
std::string scaling_figure(const ScalingAnalysis& analysis);

/// Regret against reals (paper ledger), a panel for each function and a line for each algorithm
/// through its horizons; and what plain ask and tell sends at them. Lower and further left is
/// better.
std::string frontier_figure(const ScalingAnalysis& analysis);

/// What everybody recommends, over the horizons of the first sweep: answer_figure.h.
std::string scaling_answers(const ScalingAnalysis& analysis);

}  // namespace duets::lab
