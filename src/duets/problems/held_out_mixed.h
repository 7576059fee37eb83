// Held-out test functions of mixed spaces: as held_out.h has it, run to report results only.
//
// antenna: side lobes in every category; compiler: mostly whole numbers; extruder: a valley that
// bends another way in every category; reaction: twelve combinations of two categories that do not
// add up. None has the structure of a function of mixed.h.
#pragma once

#include <span>

#include "duets/problems/formula.h"

namespace duets::problems {

/// The formulas in alphabetical order; they live as long as the program.
std::span<const Formula> held_out_mixed_functions();

}  // namespace duets::problems
