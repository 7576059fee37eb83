// Formats a command line that can be pasted into a shell.
#pragma once

#include <string>
#include <vector>

namespace duets::cli {

/// The words separated by blanks, quoted if a shell would change them.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace duets::cli
