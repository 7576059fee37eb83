// Tables, figures and page of a comparison of algorithms.
#pragma once

#include "duets/lab/analysis.h"
#include "duets/lab/findings.h"

namespace duets::lab {

/// Tables, one row for each:
/// "summary": contender, means at the horizon;
/// "curves": contender and time;
/// "differences": pair and measure at the best betas, first - second, with family-wise 95 %
/// intervals (Student's t, Bonferroni over a competitor's rivals);
/// "winners": function; "claims": published claim and scope.
/// A value that does not exist (deviation of one run, communication of an oracle, beta of an
/// algorithm without one) is empty. A figure "<preset>.svg" for each preset. The page of presets
/// "paper" and "as-plotted" also has the published values, why ours differ, and a verdict on each
/// published claim.
Findings comparison_findings(const Analysis& analysis, const PageHead& head);

}  // namespace duets::lab
