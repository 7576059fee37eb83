// Numbers of a comparison as people read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duets/lab/analysis.h"

namespace duets::lab {

/// "12.3 to 45.6", or "none".
std::string interval_text(const std::optional<Interval>& interval);

/// "-12.3, interval -20.1 to -4.5", or "-12.3, no interval from one run".
std::string difference_text(const PairedDifference& difference);

/// "0.2", or a dash for an algorithm without beta.
std::string beta_text(const ContenderAnalysis& contender);

/// "45.6 +- 2.3" with a real sign; without the error for one run.
std::string mean_text(const Summary& summary);

/// Mean in a ledger, or a dash for who has no communication to count.
std::string communication_text(const ContenderAnalysis& contender, Ledger ledger);

/// "a", "a and b", "a, b and c".
std::string list_text(const std::vector<std::string>& words);

/// "5 runs (seeds 1 to 5)", "2 runs (seeds 3, 7)".
std::string seeds_text(const std::vector<std::uint64_t>& seeds);

/// The function as people write it: "Hartmann-4D" for "hartmann4", "h1" for "h1".
std::string function_title(const std::string& function);

}  // namespace duets::lab
