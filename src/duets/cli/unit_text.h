// The text of a unit file: every curve of one task and one seed (docs/formats/comparison.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duets/base/digest.h"
#include "duets/lab/experiment.h"

namespace duets::cli {

/// Covers everything that determines the numbers of a unit: `context` (the caller's text for
/// everything that is not in the task), preset, function, seed, and each contender's algorithm,
/// beta and variant.
base::Digest unit_settings(std::string_view context, const lab::Task& task, std::uint64_t seed);

/// CSV between comment lines: the first two have the format and the settings, the last a checksum
/// of everything before it. Doubles in the shortest form that reads back as the same number.
std::string unit_text(const base::Digest& settings, const lab::Task& task, std::uint64_t seed,
                      const lab::Unit& unit);

enum class UnitState { kGood, kDamaged, kForeign };

struct UnitReading {
  UnitState state = UnitState::kDamaged;
  std::string why{};  ///< unless kGood
  lab::Unit unit{};   ///< when kGood
};

/// True when the comment line for people names this task and seed.
bool names_unit(std::string_view text, const lab::Task& task, std::uint64_t seed);

/// Parses the text of unit_text. kDamaged: the checksum does not match or a line is invalid.
/// kForeign: an undamaged file with other settings. Never throws on any text. O(size).
UnitReading read_unit(std::string_view text, const base::Digest& settings, const lab::Task& task);

}  // namespace duets::cli
