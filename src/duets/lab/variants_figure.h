// The figure of the variants.
#pragma once

#include <string>

#include "duets/lab/variants_analysis.h"

namespace duets::lab {

/// Regret against reals of the paper's ledger (logarithmic), a panel for each function. Marks are
/// variants of DUETS: the colour tells the schedule, the shape the inducing set, and stars are
/// presets; a line joins the
/// thresholds of DisKernelUCB that no other one beats in both means. A disc lies under what is
/// established not to be dominated. Same input, same bytes.
std::string variants_figure(const VariantsAnalysis& analysis);

/// What each entry recommends, against the reals it sent: answer_figure.h.
std::string variants_answers(const VariantsAnalysis& analysis);

}  // namespace duets::lab
