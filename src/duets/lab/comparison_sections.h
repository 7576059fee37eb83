// The sections of a comparison's page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duets/lab/analysis.h"
#include "duets/lab/claims.h"
#include "duets/report/report.h"

namespace duets::lab {

/// Final regret and communication of a preset at the best betas, with the winner of each function.
report::Section results_section(const Analysis& analysis, const std::string& preset);

/// Mean final regret of every beta of a preset.
report::Section grids_section(const Analysis& analysis, const std::string& preset);

/// How the numbers were made and how to read them.
report::Section methods_section(const Analysis& analysis);

/// A verdict on each claim, with what it rests on if `details`.
report::Section claims_section(const std::vector<ClaimVerdict>& claims, bool details);

/// Whether the preset is one of the published study: "paper" or "as-plotted".
bool is_published(std::string_view preset);

/// Published final values beside ours, and why they differ; without blocks for a user's own study.
report::Section published_section(const Analysis& analysis);

}  // namespace duets::lab
