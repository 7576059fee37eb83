// One row for each setting of a record: where it is stored, when it applies, what it may be and
// what it means. Parsers, printers, digests and reference pages walk over the rows, so a setting is
// described once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "duets/base/enum_table.h"

namespace duets::base {

/// An enumerator of which only the number and the table are known.
struct EnumPlace {
  std::uint8_t* number;
  std::span<const EnumEntry<std::uint8_t>> entries;
};

/// Where a setting is stored.
using Place = std::variant<double*, std::uint32_t*, std::uint64_t*, bool*, std::string*,
                           std::optional<double>*, std::optional<std::uint32_t>*,
                           std::optional<std::string>*, std::vector<double>*,
                           std::vector<std::uint32_t>*, std::vector<std::string>*, EnumPlace>;

/// The table of an enumeration, by number.
template <class Enum>
inline constexpr auto kNumberedEntries = [] {
  std::array<EnumEntry<std::uint8_t>, entries_of<Enum>().size()> numbered{};
  for (std::size_t i = 0; i < numbered.size(); ++i) {
    const EnumEntry<Enum>& entry = entries_of<Enum>()[i];
    numbered[i] = {static_cast<std::uint8_t>(entry.value), entry.name, entry.meaning};
  }
  return numbered;
}();

template <class Value>
Place place_of(Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    static_assert(std::is_same_v<std::underlying_type_t<Value>, std::uint8_t>);
    return EnumPlace{reinterpret_cast<std::uint8_t*>(&value), kNumberedEntries<Value>};
  } else {
    return &value;
  }
}

/// The place of a member, or of a member of a member: at<StudyFile, &StudyFile::study, ...>.
template <class Record, auto... kMembers>
Place at(Record& record) {
  return place_of((record.*....*kMembers));
}

struct Range {
  double low = -1e100;
  double high = 1e100;
};

/// Everything from the smallest number whose square is not 0.
inline constexpr Range kPositive{1e-100, 1e100};

template <class Record>
struct Field {
  std::string_view table;
  std::string_view key;
  /// Null: code of its own reads and writes the field.
  Place (*place)(Record&) = nullptr;
  std::span<const EnumEntry<std::uint8_t>> names = {};  ///< of an enumeration without a place
  Range range = {};  ///< of a number, or of each number of a list
  /// Why the field does not apply to a record; empty, or no function: it does. A field that does
  /// not apply has its default and must not be given.
  std::string_view (*why_not)(const Record&) = nullptr;
  /// A condition beside the range; null: none.
  bool (*holds)(const Record&) = nullptr;
  std::string_view constraint = {};  ///< for a value out of range, or when the condition fails
  std::string_view required = {};    ///< not empty: it must be given where it applies
  std::string_view meaning = {};     ///< for the reference page
  /// The default, for the reference page. Empty: "required", or the value of a new record.
  std::string_view usual = {};

  bool applies_to(const Record& record) const {
    return why_not == nullptr || why_not(record).empty();
  }
};

/// Copies what `from` points to; both places are of one kind.
void assign(const Place& to, const Place& from);

/// True when both places, of one kind, hold the same value.
bool equal(const Place& a, const Place& b);

}  // namespace duets::base
