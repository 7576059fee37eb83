// Tables, figure and page of the experiment with variants.
#pragma once

#include <cstdint>
#include <string>

#include "duets/lab/findings.h"
#include "duets/lab/variants_analysis.h"

namespace duets::lab {

/// Tables "variants", a row for each function and entry; "differences", paired, first - second,
/// each pair once, at a family-wise 95 % over both measures and all rivals of one entry; "costs",
/// what each variant costs. Figure "variants.svg". On a terminal an asterisk marks an established
/// place on the frontier, a minus sign what is established to be dominated.
Findings variants_findings(const VariantsAnalysis& analysis, const PageHead& head);

/// T_1 .. T_J of the variant at T = 50, as "2, 10, 22, 16".
std::string epochs_text(const Variant& variant);
/// J - 1 at the horizon.
std::size_t num_exchanges(const Variant& variant, std::uint32_t horizon);

}  // namespace duets::lab
