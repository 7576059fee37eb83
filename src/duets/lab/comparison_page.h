// The report of a comparison as a single HTML page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "duets/lab/analysis.h"

namespace duets::lab {

struct ComparisonPage {
  std::string title{};
  std::string lead{};  ///< one line below the title; may be empty
  /// What was run, as the caller knows it: name and value, shown in order, escaped.
  std::vector<std::pair<std::string, std::string>> facts{};
};

/// A self-contained page (no scripts, nothing loaded): what was run, the figure of each preset,
/// final regret and communication in each ledger, best betas and whole grids, winners. Presets
/// "paper" and "as-plotted" also show the published values, why ours differ, and a verdict on each
/// published claim; a user's own study has neither. Everything from outside is escaped. Same input,
/// same bytes.
std::string comparison_html(const Analysis& analysis, const ComparisonPage& page);

}  // namespace duets::lab
