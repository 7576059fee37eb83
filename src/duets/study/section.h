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

#include "duets/base/field.h"
#include "duets/study/toml.h"

namespace duets::study {

/// Numbers beyond this size are refused, so that no square of one can overflow.
inline constexpr double kLargest = base::kPositive.high;
/// Positive numbers below this are refused, for the same reason.
inline constexpr double kSmallest = base::kPositive.low;

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
  bool is_there() const { return table_ != nullptr; }

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

  /// Stores the value, when it is given, at a place. Numbers and each number of a list must lie in
  /// the range, or the error is `constraint` (empty: the range itself). A list of numbers may be a
  /// single one.
  void read(std::string_view key, const base::Place& place, base::Range range,
            std::string_view constraint) const;

  /// A name of the enumeration's table.
  template <class Enum>
  std::optional<Enum> option(std::string_view key) const {
    if (!has(key)) return std::nullopt;
    Enum value{};
    read(key, base::place_of(value), {}, {});
    return value;
  }

  /// The place of a text, which must be given, among the names.
  std::size_t choice(std::string_view key, std::span<const std::string> names) const;

  /// Throws when the key is given.
  void forbid(std::string_view key, const std::string& constraint) const;
  /// Throws "key = value: constraint", or "key = (missing): constraint".
  [[noreturn]] void fail(std::string_view key, const std::string& constraint) const;

 private:
  std::string name_;
  const Node* table_;
};

/// The item of an array as a finite number; `field` names it in the error.
double number_of(const Node& node, const std::string& field);

/// "; did you mean X?" for the nearest name, or "" when none is near.
std::string advice(std::string_view wrong, std::span<const std::string_view> names);

}  // namespace duets::study
