// The report of the self-tuning presets as a single HTML page.
#pragma once

#include <string>

#include "duets/lab/comparison_page.h"
#include "duets/lab/self_tuning_analysis.h"

namespace duets::lab {

/// A self-contained page: what was run, a table for each condition, the stress cases, what each
/// ingredient contributes, and how it was judged. Same input, same bytes.
std::string self_tuning_html(const SelfTuningAnalysis& analysis, const ComparisonPage& page);

}  // namespace duets::lab
