// A look at TOML text before the TOML library sees it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duets/study/toml.h"

namespace duets::study {

/// The reason not to parse a text, with its place.
struct ScanProblem {
  Position position;
  std::string reason;
};

/// The library's memory per value is large, its table lookups are linear for dotted keys, and it
/// frees a key a.a.a. ... by recursion: this finds the texts for which that matters. One pass.
std::optional<ScanProblem> scan_toml(std::string_view text);

}  // namespace duets::study
