// The report of the scaling experiment as a single HTML page.
#pragma once

#include <string>

#include "duets/lab/comparison_page.h"
#include "duets/lab/scaling_analysis.h"

namespace duets::lab {

/// A self-contained page: what was run, the figure, slopes with intervals, every size, and what the
/// numbers can and cannot say. Same input, same bytes.
std::string scaling_html(const ScalingAnalysis& analysis, const ComparisonPage& page);

}  // namespace duets::lab
