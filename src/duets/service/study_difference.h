// Compares two resolved study files field by field.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace duets::service {

/// A field with different values in two study files.
struct FieldDifference {
  std::string field;   ///< "duets.beta"
  std::string first;   ///< as written; empty when the first file does not have the field
  std::string second;  ///< likewise

  friend bool operator==(const FieldDifference&, const FieldDifference&) = default;
};

/// The fields that differ, in the order of the first file, then those that only the second has.
/// For texts as in a Definition: one "key = value" per line under "[table]" lines; a list over
/// several lines ends with a line "]". Any other text gives an arbitrary but harmless result.
std::vector<FieldDifference> differing_fields(std::string_view first, std::string_view second);

/// "duets.beta is 0.5 there and 0.2 here, ...": at most a few fields, long values shortened. Empty
/// when nothing differs.
std::string difference_text(const std::vector<FieldDifference>& differences);

}  // namespace duets::service
