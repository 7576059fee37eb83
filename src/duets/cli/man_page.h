// The manual page, made from the table of commands.
#pragma once

#include <string>

#include "duets/cli/command_table.h"

namespace duets::cli {

/// For man(1): roff with the man macros. Depends on the program alone, so it has no date.
std::string man_page(const CommandEntry& program);

}  // namespace duets::cli
