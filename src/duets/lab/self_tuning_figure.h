// The figure of the self-tuning presets.
#pragma once

#include <string>

#include "duets/lab/self_tuning_analysis.h"

namespace duets::lab {

/// Regret against reals of the paper's ledger, both as ratios to the rival on logarithmic axes: a
/// panel for each condition that is shown function by function, a mark for each function and
/// preset. With stress cases a panel of their geometric means. Same input, same bytes.
std::string self_tuning_figure(const SelfTuningAnalysis& analysis);

/// What everybody recommends: ratios of simple regret to the rival above, the shares of runs that
/// lost the optimum below, a mark for each function.
std::string self_tuning_answers(const SelfTuningAnalysis& analysis);

}  // namespace duets::lab
