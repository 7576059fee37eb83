// The sections of a comparison's page.
#pragma once

#include <vector>

#include "duets/harness/analysis.h"
#include "duets/harness/claims.h"
#include "duets/harness/report_page_html.h"

namespace duets::harness {

/// Final regret and communication of a preset at the best betas, with the winner of each function.
Markup results_section(const Analysis& analysis, const std::string& preset);

/// Mean final regret of every beta of a preset.
Markup grids_section(const Analysis& analysis, const std::string& preset);

/// How the numbers were made and how to read them.
Markup methods_section(const Analysis& analysis);

/// A verdict on each claim; nothing without claims.
Markup claims_section(const std::vector<ClaimVerdict>& claims);

/// Published final values beside ours, and why they differ; nothing for a user's own study.
Markup published_section(const Analysis& analysis);

}  // namespace duets::harness
