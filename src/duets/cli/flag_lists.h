// Lists on the command line: "a,b,c".
#pragma once

#include <string>
#include <vector>

namespace duets::cli {

/// The items, without blanks around them; none for an empty text. kInvalid, naming the flag, for an
/// empty or repeated item.
std::vector<std::string> word_list(const std::string& flag, const std::string& text);

/// Betas, each at least 0 and finite. kInvalid as above.
std::vector<double> beta_list(const std::string& flag, const std::string& text);

}  // namespace duets::cli
