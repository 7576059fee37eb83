// One table for each enumeration that people or bytes name: the value, its name in files and
// messages, and what it means. The table stands beside its enumeration:
//
//   enum class Coins : std::uint8_t { kIndependent = 0, kStratified = 1 };
//   constexpr auto enum_entries(Coins /*tag*/) {
//     return base::entries<Coins>({{Coins::kIndependent, "independent", "every slot by itself"},
//                                  {Coins::kStratified, "stratified", "every slot in its part"}});
//   }
//
// Names, parsers and range checks follow from it. A table that leaves out an enumerator, or has a
// name or number twice, does not compile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "duets/base/error.h"

namespace duets::base {

template <class Enum>
struct EnumEntry {
  Enum value;
  std::string_view name;          ///< in study files, tables and messages
  std::string_view meaning = {};  ///< in a few words, for people
};

/// An array of entries from a braced list.
template <class Enum, std::size_t kSize>
constexpr std::array<EnumEntry<Enum>, kSize> entries(const EnumEntry<Enum> (&list)[kSize]) {
  return std::to_array(list);
}

namespace enum_table {

/// Tables hold numbers below this.
inline constexpr std::size_t kEnd = 64;

/// Compilers spell a template argument that is an enumerator by name and any other number as a
/// cast, "(duets::kernel::Family)7".
template <auto kValue>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text[text.find("kValue = ") + std::string_view("kValue = ").size()] != '(';
}

template <class Enum, std::size_t... kNumbers>
constexpr std::size_t count_enumerators(std::index_sequence<kNumbers...> /*numbers*/) {
  return (std::size_t{0} + ... + std::size_t{is_enumerator<static_cast<Enum>(kNumbers)>()});
}

/// True when the table has one entry for each enumerator.
template <class Enum, std::size_t kSize>
constexpr bool is_complete(const std::array<EnumEntry<Enum>, kSize>& /*table*/) {
  return kSize == count_enumerators<Enum>(std::make_index_sequence<kEnd>{});
}

template <class Table>
constexpr bool all_differ(const Table& table) {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].name.empty() || static_cast<std::size_t>(table[i].value) >= kEnd) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (table[i].value == table[j].value || table[i].name == table[j].name) return false;
    }
  }
  return true;
}

template <class Enum>
struct Checked {
  static constexpr auto kTable = enum_entries(Enum{});
  static_assert(is_complete(kTable), "enum_entries() must have one entry for each enumerator");
  static_assert(all_differ(kTable), "entries must differ in name and number, numbers below 64");
};

}  // namespace enum_table

/// The table, in the order in which it is written.
template <class Enum>
constexpr std::span<const EnumEntry<Enum>> entries_of() {
  return enum_table::Checked<Enum>::kTable;
}

/// "?" for a number that is no enumerator.
template <class Enum>
constexpr std::string_view name_of(Enum value) {
  for (const auto& entry : entries_of<Enum>()) {
    if (entry.value == value) return entry.name;
  }
  return "?";
}

template <class Enum>
constexpr std::string_view meaning_of(Enum value) {
  for (const auto& entry : entries_of<Enum>()) {
    if (entry.value == value) return entry.meaning;
  }
  return {};
}

/// Nothing when no enumerator has the name.
template <class Enum>
constexpr std::optional<Enum> named(std::string_view name) {
  for (const auto& entry : entries_of<Enum>()) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

/// Nothing when no enumerator has the number.
template <class Enum>
constexpr std::optional<Enum> numbered(std::uint64_t number) {
  for (const auto& entry : entries_of<Enum>()) {
    if (static_cast<std::uint64_t>(entry.value) == number) return entry.value;
  }
  return std::nullopt;
}

/// The enumerator of a number that came from elsewhere; otherwise throws `kind` with
/// "field = 7: must be 0 (coin), 1 (greedy) or 2 (public)".
template <class Enum>
Enum enum_of(std::uint64_t number, std::string_view field, ErrorKind kind = ErrorKind::kInvalid) {
  if (const auto value = numbered<Enum>(number)) return *value;
  std::string text(field);
  text += " = " + std::to_string(number) + ": must be ";
  const auto table = entries_of<Enum>();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (i > 0) text += i + 1 < table.size() ? ", " : " or ";
    text += std::to_string(static_cast<unsigned>(table[i].value));
    text.append(" (").append(table[i].name).append(")");
  }
  throw Error(kind, text);
}

}  // namespace duets::base
