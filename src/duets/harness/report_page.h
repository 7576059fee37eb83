// The report of one run as a single HTML page.
#pragma once

#include <string>
#include <vector>

#include "duets/harness/figures.h"
#include "duets/harness/run_result.h"

namespace duets::harness {

/// A self-contained page (no scripts, no external resources): recommendation and best trial,
/// figures with captions, the epochs, communication, reproducibility. All user text is escaped;
/// numbers that are not finite are dashes. `figures` are inserted unchanged, so they must come from
/// all_figures. The same input gives the same bytes.
std::string report_html(const RunResult& result, const std::vector<report::NamedFigure>& figures);

}  // namespace duets::harness
