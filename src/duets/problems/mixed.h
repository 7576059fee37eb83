// Test functions of mixed spaces (float, int and categorical parameters, as a user would tune) that
// may be used while settings and presets are developed.
//
// trainer: three close categories with an optimum of their own each; controller: a trade-off of
// four costs along a ridge; classifier: parameters that matter in some categories only; recipe: six
// parameters, two of them bound to others, and the best at the border. The functions that must not
// be used in this way are in held_out_mixed.h.
#pragma once

#include <span>

#include "duets/problems/formula.h"

namespace duets::problems {

/// The formulas in alphabetical order; they live as long as the program.
std::span<const Formula> mixed_functions();

}  // namespace duets::problems
