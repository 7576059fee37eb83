// The report of the variants as a single HTML page.
#pragma once

#include <string>

#include "duets/lab/comparison_page.h"
#include "duets/lab/variants_analysis.h"

namespace duets::lab {

/// A self-contained page: what was run, the frontier, what each variant costs and which theorem is
/// left, and every number. Same input, same bytes.
std::string variants_html(const VariantsAnalysis& analysis, const ComparisonPage& page);

}  // namespace duets::lab
