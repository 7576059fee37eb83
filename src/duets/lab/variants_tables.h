// The numbers of the variants as text.
#pragma once

#include <string>

#include "duets/lab/variants_analysis.h"

namespace duets::lab {

/// CSV as in comparison_tables.h. Same analysis, same bytes.

/// One line for each function and entry: function, algorithm, variant, beta, runs, regret_mean,
/// regret_std, regret_low, regret_high, communication_paper, communication_figure,
/// communication_links (means), exchanges (at T = 50; empty for DisKernelUCB, which decides as it
/// goes), standing, dominated_by.
std::string variants_csv(const VariantsAnalysis& analysis);

/// Paired differences first - second, each pair once: function, measure ("regret",
/// "communication_paper"), first, second, runs, mean, std, low, high, verdict. low and high are at
/// a family-wise 95 % over both measures and all rivals of one entry.
std::string variant_differences_csv(const VariantsAnalysis& analysis);

/// What each variant costs: variant, epochs (at T = 50), exchanges, exchange_growth, theorem_left.
std::string variant_costs_csv();

/// For a terminal: regret / reals for each function; an asterisk marks an established place on the
/// frontier, a minus sign what is established to be dominated. UTF-8, ends with a newline.
std::string variants_text(const VariantsAnalysis& analysis);

/// T_1 .. T_J of the variant at T = 50, as "2, 10, 22, 16".
std::string epochs_text(const Variant& variant);
/// J - 1 at the horizon.
std::size_t num_exchanges(const Variant& variant, std::uint32_t horizon);

}  // namespace duets::lab
