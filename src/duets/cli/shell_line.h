// A command line as it can be pasted into a shell.
#pragma once

#include <string>
#include <vector>

namespace duets::cli {

/// The words with blanks between them, quoted where a shell would change them.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace duets::cli
