// Reports errors in a command line, with suggestions.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace duets::cli {

/// `"comapre" is not a command; did you mean compare?`, or all commands of `parent` when none is
/// similar. `path` is the parent as given: "duets study".
std::string unknown_command(const CLI::App& parent, const std::string& path,
                            const std::string& word);

/// Prints the error and returns the exit code: 2, except for --help and --version. `first` is the
/// first word after the program's name, or empty.
int report_usage(const CLI::App& app, const CLI::ParseError& error, const std::string& first);

}  // namespace duets::cli
