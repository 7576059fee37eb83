// Options that several commands have, said the same way.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "duets/cli/progress.h"
#include "duets/cli/summary.h"

namespace duets::cli {

/// What the words of the command line came to: done once they are all understood.
using Chosen = std::function<void()>;

/// The value must be one of these words. Completions offer them.
CLI::Validator one_of(const std::vector<std::string>& words);

/// --format with table, json and csv.
void add_format(CLI::App& command, Format& format);
/// --format with these words; the first is the default and must be `format`'s value.
void add_format(CLI::App& command, Format& format, const std::vector<std::string>& words);
void add_quiet(CLI::App& command, Verbosity& verbosity);

/// An empty word is a shell variable that was not set, never a wish.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& text, const std::string& shown);

/// A directory that may have to be made; a file in its place is refused.
CLI::Option* add_directory(CLI::App& command, const std::string& name, std::string& value,
                           const std::string& text);

}  // namespace duets::cli
