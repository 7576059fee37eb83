// The manual page, generated from the table of commands.
#pragma once

#include <string>

#include "duets/cli/command_table.h"

namespace duets::cli {

/// For man(1): roff with the man macros. Depends only on the program, so it has no date.
std::string man_page(const CommandEntry& program);

}  // namespace duets::cli
