// Tables, figure and page of the scaling experiment.
#pragma once

#include <string>

#include "duets/lab/findings.h"
#include "duets/lab/scaling_analysis.h"

namespace duets::lab {

/// Tables "slopes", a row for each fit, "scaling", one for each size, "rivals", one for each other
/// contender of each size, and "ask_tell"; figures "frontier.svg" and "scaling.svg".
Findings scaling_findings(const ScalingAnalysis& analysis, const PageHead& head);

/// "0.91 [0.87, 0.95]"; without the brackets for one run.
std::string slope_with_interval(const SlopeFit& fit);

/// What the slopes say about the theorem, in one sentence for each measure.
std::string scaling_verdict(const ScalingAnalysis& analysis, Growth growth);

}  // namespace duets::lab
