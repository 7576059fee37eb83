// `duets help`, `duets completion` and `duets man`: documentation that the program prints.
#pragma once

#include "duets/cli/command_options.h"

namespace duets::cli {

/// `chosen` must outlive the app.
void add_document_commands(CLI::App& app, Chosen& chosen);

}  // namespace duets::cli
