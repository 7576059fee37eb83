// Typed access to one table of the study file. Every getter answers "not given" with nullopt and a
// value that breaks its constraint with base::Error "table.key = value: constraint" (no position:
// parse_study adds it for every error that names a field, wherever it comes from).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/cli/study_file_toml.h"

namespace duets::cli {

/// Numbers beyond this size are refused, so that no square of one can overflow.
inline constexpr double kLargest = 1e100;
/// Positive numbers below this are refused, for the same reason.
inline constexpr double kSmallest = 1e-100;

class Section {
 public:
  /// The table `name` (dotted) of a study file; `table` may be null, for a table that is missing.
  /// Throws when it is not a table.
  Section(std::string name, const Node* table);

  const std::string& name() const { return name_; }
  std::string field(std::string_view key) const { return name_ + "." + std::string(key); }
  /// The table itself, or null.
  const Node* table() const { return table_; }
  /// The value, or null.
  const Node* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// Refuses every key that is not in `known`, with the nearest of them as advice.
  void check_keys(std::span<const std::string_view> known) const;

  std::optional<std::string> text(std::string_view key) const;  ///< not empty, no NUL
  std::optional<bool> flag(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;    ///< finite, |x| <= kLargest
  std::optional<double> positive(std::string_view key) const;  ///< kSmallest .. kLargest
  std::optional<std::uint64_t> whole(std::string_view key, std::uint64_t low,
                                     std::uint64_t high) const;
  /// Arrays of at least one item.
  std::optional<std::vector<std::string>> texts(std::string_view key) const;
  std::optional<std::vector<double>> positives(std::string_view key) const;  ///< or a single number
  std::optional<std::vector<std::uint32_t>> wholes(std::string_view key, std::uint64_t low,
                                                   std::uint64_t high) const;

  /// One of the names in the list.
  template <class Value>
  std::optional<Value> option(std::string_view key,
                              std::span<const std::pair<std::string_view, Value>> options) const {
    std::vector<std::string_view> names;
    for (const auto& [option_name, value] : options) names.push_back(option_name);
    const std::optional<std::size_t> index = option_index(key, names);
    return index ? std::optional(options[*index].second) : std::nullopt;
  }

  /// A name of the enumeration's table.
  template <class Enum>
  std::optional<Enum> option(std::string_view key) const {
    std::vector<std::string_view> names;
    for (const auto& entry : base::entries_of<Enum>()) names.push_back(entry.name);
    const std::optional<std::size_t> index = option_index(key, names);
    return index ? std::optional(base::entries_of<Enum>()[*index].value) : std::nullopt;
  }

  /// Throws when the key is given.
  void forbid(std::string_view key, const std::string& constraint) const;
  /// Throws "key = value: constraint", or "key = (missing): constraint".
  [[noreturn]] void fail(std::string_view key, const std::string& constraint) const;

 private:
  std::optional<std::size_t> option_index(std::string_view key,
                                          std::span<const std::string_view> names) const;

  std::string name_;
  const Node* table_;
};

/// The item of an array as a finite number or whole number; `field` names it in the error.
double number_of(const Node& node, const std::string& field);
std::uint64_t whole_of(const Node& node, const std::string& field, std::uint64_t low,
                       std::uint64_t high);

/// "; did you mean X?" for the nearest name, or "" when none is near.
std::string advice(std::string_view wrong, std::span<const std::string_view> names);

}  // namespace duets::cli
