// `duets evaluate`: values of a built-in function at given points, for scripts.
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>
#include <string>

#include "duets/cli/command_options.h"
#include "duets/cli/extensions.h"
#include "duets/domain/domain.h"
#include "duets/problems/problem.h"

namespace duets::cli {

/// The function's own domain.
domain::Domain natural_domain(const problems::Problem& problem);

/// The domain and what is known of the function, as JSON text.
std::string function_json(const problems::Problem& problem);

/// Reads a point a line as a JSON object, {"x1": 0.2, "x2": 0.5}, a choice by its name, and writes
/// f there without noise as one number a line, at once. kInvalid naming line and field for anything
/// else; empty lines are skipped.
void evaluate_lines(const problems::Problem& problem, std::istream& in, std::ostream& out);

/// Adds the command.
void add_evaluate(CLI::App& app, Chosen& chosen, const Extensions& extensions);

}  // namespace duets::cli
