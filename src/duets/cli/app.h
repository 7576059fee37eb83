// The command line: parsing and printing live here and nowhere else.
#pragma once

#include "duets/cli/extensions.h"

namespace duets::cli {

/// Runs a command and returns the exit code of docs/guide.md. Errors go to standard error. With
/// `extensions` every command knows the user's algorithms and functions too (docs/extending.md).
int run_app(int argc, char** argv, const Extensions& extensions = {});

}  // namespace duets::cli
