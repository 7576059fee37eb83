// Held-out test functions: run to report results, not to choose settings. borehole and friedman did
// lead to a rule (docs/decisions/0036).
//
// To change a preset, a default or a rule, use development.h and the paper's functions, never
// results on these. A result on a function that helped to choose a setting says little about the
// next function; a result on these does, as long as they stay unused. No family is in both lists.
#pragma once

#include <span>

#include "duets/problems/formula.h"

namespace duets::problems {

/// The formulas in alphabetical order; they live as long as the program.
std::span<const Formula> held_out_functions();

}  // namespace duets::problems
