// Test functions that may be looked at while settings and presets are developed.
//
// Ripples (ackley2, ackley5, griewank3, levy4), valleys and ridges (camel, goldstein-price,
// rosenbrock4), many separate summits (hartmann3, michalewicz3, styblinski-tang5), and coordinates
// that do not matter (camel6). Where the original box has its optimum in the middle, another box is
// taken. The functions that were kept out of all that are in held_out.h.
#pragma once

#include <span>

#include "duets/problems/formula.h"

namespace duets::problems {

/// Built-in functions like all others; in alphabetical order. Lives as long as the program.
std::span<const Formula> development_functions();

}  // namespace duets::problems
