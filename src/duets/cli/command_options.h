// Options that several commands have, said the same way.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "duets/cli/progress.h"
#include "duets/cli/summary.h"

namespace duets::cli {

/// What the words of the command line came to: done once they are all understood.
using Chosen = std::function<void()>;

void add_format(CLI::App& command, Format& format);
void add_quiet(CLI::App& command, Verbosity& verbosity);

/// An empty word is a shell variable that was not set, never a wish.
CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& text, const std::string& shown);

/// A directory that may have to be made; a file in its place is refused.
CLI::Option* add_directory(CLI::App& command, const std::string& name, std::string& value,
                           const std::string& text);

}  // namespace duets::cli
