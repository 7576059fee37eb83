// The figure of a comparison: cumulative regret above, communication below (as the paper defines
// it, and as it plots it), a column for each function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "duets/lab/analysis.h"

namespace duets::lab {

struct ComparisonFigureOptions {
  std::vector<Ledger> ledgers{Ledger::kPaper, Ledger::kFigure};  ///< a row for each
  /// Each algorithm at plotted_beta() where its grid has it, instead of at its chosen one.
  bool plotted_betas = false;
  bool published_points = false;  ///< faint marks of the published figure
};

/// "paper" and "wide-grid": chosen betas, published points. "as-plotted": plotted betas, published
/// points. Any other preset: chosen betas, no points.
ComparisonFigureOptions figure_options(std::string_view preset);

/// The tasks of one preset as one SVG document: mean lines, bands of one standard deviation on
/// either side, legend once; what plain ask and tell sends. Nothing sent stands at the foot of the
/// axis, with a note. Same input, same bytes. A preset without tasks gives a figure
/// that says so.
std::string comparison_figure(const Analysis& analysis, std::string_view preset,
                              const ComparisonFigureOptions& options);

/// What each algorithm recommends at its chosen setting, against the reals it sent:
/// answer_figure.h.
std::string comparison_answers(const Analysis& analysis, std::string_view preset);

}  // namespace duets::lab
