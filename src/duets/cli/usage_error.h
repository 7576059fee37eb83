// What is wrong with a command line, in words that say what to type.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace duets::cli {

/// `"comapre" is not a command; did you mean compare?`, or all there are below `parent` when none
/// is near. `path` is the parent as typed: "duets study".
std::string unknown_command(const CLI::App& parent, const std::string& path,
                            const std::string& word);

/// Prints it and returns the exit code: 2 for everything but --help and --version. `first` is the
/// first word after the program's name, or empty.
int report_usage(const CLI::App& app, const CLI::ParseError& error, const std::string& first);

}  // namespace duets::cli
