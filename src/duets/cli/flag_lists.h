// Parses lists on the command line ("a,b,c"), and checks runs and their seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace duets::cli {

/// The items, without blanks around them; none for an empty text. kInvalid, naming the flag, for an
/// empty or repeated item.
std::vector<std::string> word_list(const std::string& flag, const std::string& text);

/// Betas, each at least 0 and finite. kInvalid as above.
std::vector<double> beta_list(const std::string& flag, const std::string& text);

/// Thresholds D, each above 0; "inf" is one. kInvalid as above.
std::vector<double> threshold_list(const std::string& flag, const std::string& text);

/// kInvalid, naming the field, when the last of `runs` seeds, or of those that choose settings
/// (lab/hindsight.h), would be above kMaxSeed.
void check_seeds(const std::string& field, std::uint64_t first, std::uint32_t runs);

/// "1 run", "2 runs".
std::string runs_text(std::uint32_t runs);

}  // namespace duets::cli
