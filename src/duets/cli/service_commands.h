// Adds the commands of coordinators and agents to the command line.
#pragma once

#include "duets/cli/command_options.h"
#include "duets/cli/extensions.h"

namespace duets::cli {

/// serve, agent, plan, submit. `chosen` and `extensions` must outlive the app.
void add_service_commands(CLI::App& app, Chosen& chosen, const Extensions& extensions);

}  // namespace duets::cli
