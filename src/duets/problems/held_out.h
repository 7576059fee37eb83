// Test functions kept apart: never used while developing the presets, run once at the end.
//
// Whoever changes a preset, a default or a rule looks at development.h and at the paper's
// functions, not at results on these. A result on a function that helped to choose a setting says
// little about the next function; a result on these does, as long as nobody has looked. No family
// is in both lists.
#pragma once

#include <span>

#include "duets/problems/formula.h"

namespace duets::problems {

/// Built-in functions like all others; in alphabetical order. Lives as long as the program.
std::span<const Formula> held_out_functions();

}  // namespace duets::problems
