// Completion scripts for shells, generated from the table of commands.
#pragma once

#include <string>

#include "duets/cli/command_table.h"

namespace duets::cli {

/// For `source`, or a file in the shell's directory of completions.
std::string bash_completion(const CommandEntry& program);
std::string zsh_completion(const CommandEntry& program);
std::string fish_completion(const CommandEntry& program);

}  // namespace duets::cli
