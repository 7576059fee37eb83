// The command line: all parsing and printing starts here.
#pragma once

#include "duets/cli/extensions.h"

namespace duets::cli {

/// Runs a command and returns the exit code of docs/guide.md. Errors go to standard error. With
/// `extensions` every command also knows the user's algorithms and functions (docs/extending.md).
int run_app(int argc, char** argv, const Extensions& extensions = {});

}  // namespace duets::cli
