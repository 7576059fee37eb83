// The sections of a comparison's page.
#pragma once

#include <vector>

#include "duets/lab/analysis.h"
#include "duets/lab/claims.h"
#include "duets/report/html.h"

namespace duets::lab {

/// Final regret and communication of a preset at the best betas, with the winner of each function.
report::Markup results_section(const Analysis& analysis, const std::string& preset);

/// Mean final regret of every beta of a preset.
report::Markup grids_section(const Analysis& analysis, const std::string& preset);

/// How the numbers were made and how to read them.
report::Markup methods_section(const Analysis& analysis);

/// A verdict on each claim; nothing without claims.
report::Markup claims_section(const std::vector<ClaimVerdict>& claims);

/// Published final values beside ours, and why they differ; nothing for a user's own study.
report::Markup published_section(const Analysis& analysis);

}  // namespace duets::lab
