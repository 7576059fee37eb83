// The command line: parsing and printing live here and nowhere else.
#pragma once

namespace duets::cli {

/// Runs a command and returns the exit code of docs/guide.md. Errors go to standard error.
int run_app(int argc, char** argv);

}  // namespace duets::cli
