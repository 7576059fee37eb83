// Adds the commands of an operator to the command line.
#pragma once

#include "duets/cli/command_options.h"
#include "duets/cli/extensions.h"

namespace duets::cli {

/// study, status, best. `chosen` and `extensions` must outlive the app.
void add_operator_commands(CLI::App& app, Chosen& chosen, const Extensions& extensions);

}  // namespace duets::cli
