// Test functions that may be used while settings and presets are developed.
//
// Ripples (ackley2, ackley5, griewank3, levy4), valleys and ridges (camel, goldstein-price,
// rosenbrock4), many separate summits (hartmann3, michalewicz3, styblinski-tang5), and coordinates
// that do not matter (camel6). Where the optimum is in the middle of the original box, another box
// is used. The functions that must not be used in this way are in held_out.h.
#pragma once

#include <span>

#include "duets/problems/formula.h"

namespace duets::problems {

/// The formulas in alphabetical order; they live as long as the program.
std::span<const Formula> development_functions();

}  // namespace duets::problems
