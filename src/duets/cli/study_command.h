// `duets study`: creates, shows, changes, stops, deletes and exports the studies of a coordinator.
#pragma once

#include "duets/cli/command_options.h"
#include "duets/cli/extensions.h"

namespace duets::cli {

/// `chosen` and `extensions` must outlive the app.
void add_study_command(CLI::App& app, Chosen& chosen, const Extensions& extensions);

}  // namespace duets::cli
