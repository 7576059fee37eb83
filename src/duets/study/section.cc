#include "duets/study/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace duets::study {
namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& value,
                         const std::string& constraint) {
  throw base::Error(base::ErrorKind::kInvalid, field + " = " + value + ": " + constraint);
}

std::string text_of(const Node& node, const std::string& field) {
  if (node.kind != NodeKind::kString) refuse(field, show(node), "must be a string");
  if (node.text.empty()) refuse(field, show(node), "must not be empty");
  if (node.text.find('\0') != std::string::npos) {
    refuse(field, show(node), "must not contain a zero byte");
  }
  return node.text;
}

double positive_of(const Node& node, const std::string& field) {
  const double value = number_of(node, field);
  if (value < kSmallest) refuse(field, show(node), "must be positive (at least 1e-100)");
  return value;
}

// Also one that is written as a float, 1e3 or 1000.0, as long as that is exact.
std::optional<std::uint64_t> whole_number(const Node& node) {
  constexpr double kMaxExact = 9007199254740992.0;  // 2^53
  if (node.kind == NodeKind::kInteger && node.integer >= 0) {
    return static_cast<std::uint64_t>(node.integer);
  }
  const bool exact = node.kind == NodeKind::kFloat && node.number >= 0 &&
                     node.number <= kMaxExact && node.number == std::floor(node.number);
  return exact ? std::optional(static_cast<std::uint64_t>(node.number)) : std::nullopt;
}

const Node& array_of(const Node& node, const std::string& field, const char* of) {
  if (node.kind != NodeKind::kArray) {
    refuse(field, show(node), fmt::format("must be an array of {}", of));
  }
  if (node.items.empty()) refuse(field, "[]", "must not be empty");
  return node;
}

std::string item_field(const std::string& field, std::size_t index) {
  return fmt::format("{}[{}]", field, index);
}

// Levenshtein; names are short, and a wrong one that is long is near to none.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

bool is_near(std::string_view wrong, std::string_view name, std::size_t distance) {
  return distance <= std::max<std::size_t>(2, name.size() / 3) ||
         (wrong.size() >= 3 && name.starts_with(wrong)) ||
         (name.size() >= 3 && wrong.starts_with(name));
}

}  // namespace

double number_of(const Node& node, const std::string& field) {
  if (node.kind != NodeKind::kInteger && node.kind != NodeKind::kFloat) {
    refuse(field, show(node), "must be a number");
  }
  if (!std::isfinite(node.number) || std::abs(node.number) > kLargest) {
    refuse(field, show(node), "must be a finite number (at most 1e100 in size)");
  }
  return node.number;
}

std::string advice(std::string_view wrong, std::span<const std::string_view> names) {
  constexpr std::size_t kLongest = 40;
  if (wrong.size() > kLongest) return "";
  std::string_view best;
  std::size_t best_distance = kLongest + 1;
  for (const std::string_view name : names) {
    const std::size_t distance = edit_distance(wrong, name);
    if (is_near(wrong, name, distance) && distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best.empty() ? "" : fmt::format("; did you mean \"{}\"?", best);
}

namespace {

std::uint64_t whole_of(const Node& node, const std::string& field, std::uint64_t low,
                       std::uint64_t high) {
  const std::optional<std::uint64_t> value = whole_number(node);
  if (!value || *value < low || *value > high) {
    refuse(field, show(node), fmt::format("must be a whole number from {} to {}", low, high));
  }
  return *value;
}

// The place of the text among the names; otherwise the error lists them.
std::size_t check_choice(const Node& node, const std::string& field,
                         const std::vector<std::string_view>& names) {
  const std::string given = text_of(node, field);
  const auto found = std::find(names.begin(), names.end(), given);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  refuse(field, show(node),
         fmt::format("must be one of \"{}\"{}", fmt::join(names, "\", \""), advice(given, names)));
}

/// Stores a value where it belongs.
struct ValueReader {
  const Node& node;
  std::string field;
  base::Range range;
  std::string constraint;  // empty: the range itself

  void operator()(double* value) const { *value = number(node, field); }
  void operator()(std::uint32_t* value) const {
    *value = static_cast<std::uint32_t>(whole(node, field));
  }
  void operator()(std::uint64_t* value) const { *value = whole(node, field); }
  void operator()(bool* value) const {
    if (node.kind != NodeKind::kBoolean) refuse(field, show(node), "must be true or false");
    *value = node.flag;
  }
  void operator()(std::string* value) const { *value = text_of(node, field); }
  void operator()(std::vector<double>* values) const {
    values->clear();
    if (node.kind != NodeKind::kArray) return values->push_back(number(node, field));
    for (const Node& item : array_of(node, field, "numbers").items) {
      values->push_back(number(item, item_field(field, values->size())));
    }
  }
  void operator()(std::vector<std::uint32_t>* values) const {
    values->clear();
    for (const Node& item : array_of(node, field, "whole numbers").items) {
      const std::uint64_t value = whole(item, item_field(field, values->size()));
      values->push_back(static_cast<std::uint32_t>(value));
    }
  }
  void operator()(std::vector<std::string>* values) const {
    values->clear();
    for (const Node& item : array_of(node, field, "strings").items) {
      values->push_back(text_of(item, item_field(field, values->size())));
    }
  }
  void operator()(const base::EnumPlace& place) const {
    std::vector<std::string_view> names;
    for (const auto& entry : place.entries) names.push_back(entry.name);
    *place.number = place.entries[check_choice(node, field, names)].value;
  }
  template <class Value>
  void operator()(std::optional<Value>* value) const {
    (*this)(&value->emplace());
  }

 private:
  double number(const Node& item, const std::string& name) const {
    const double value = number_of(item, name);
    if (value >= range.low && value <= range.high) return value;
    const bool is_positive = range.low >= kSmallest && range.low < 1;
    if (is_positive && value < kSmallest) {
      refuse(name, show(item), "must be positive (at least 1e-100)");
    }
    if (!constraint.empty()) refuse(name, show(item), constraint);
    refuse(name, show(item), fmt::format("must be a number from {} to {}", range.low, range.high));
  }
  std::uint64_t whole(const Node& item, const std::string& name) const {
    // TOML has no whole numbers from 2^63 on.
    constexpr std::uint64_t kMost = (std::uint64_t{1} << 63) - 1;
    const std::uint64_t high = range.high < 0x1p63 ? static_cast<std::uint64_t>(range.high) : kMost;
    return whole_of(item, name, static_cast<std::uint64_t>(std::max(0.0, range.low)), high);
  }
};

}  // namespace

Section::Section(std::string name, const Node* table) : name_(std::move(name)), table_(table) {
  if (table != nullptr && table->kind != NodeKind::kTable) {
    refuse(name_, show(*table), fmt::format("must be a table: [{}]", name_));
  }
}

const Node* Section::find(std::string_view key) const {
  return table_ == nullptr ? nullptr : table_->find(key);
}

void Section::check_keys(std::span<const std::string_view> known) const {
  if (table_ == nullptr) return;
  for (const auto& [key, node] : table_->entries) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw PlacedError(node.position, field(show_name(key)) + " = " + show(node) +
                                           ": unknown key" + advice(key, known));
    }
  }
}

std::optional<std::string> Section::text(std::string_view key) const {
  const Node* node = find(key);
  return node == nullptr ? std::nullopt : std::optional(text_of(*node, field(key)));
}

std::optional<bool> Section::flag(std::string_view key) const {
  const Node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != NodeKind::kBoolean) fail(key, "must be true or false");
  return node->flag;
}

std::optional<double> Section::number(std::string_view key) const {
  const Node* node = find(key);
  return node == nullptr ? std::nullopt : std::optional(number_of(*node, field(key)));
}

std::optional<double> Section::positive(std::string_view key) const {
  const Node* node = find(key);
  return node == nullptr ? std::nullopt : std::optional(positive_of(*node, field(key)));
}

std::optional<std::uint64_t> Section::whole(std::string_view key, std::uint64_t low,
                                            std::uint64_t high) const {
  const Node* node = find(key);
  return node == nullptr ? std::nullopt : std::optional(whole_of(*node, field(key), low, high));
}

std::optional<std::vector<std::string>> Section::texts(std::string_view key) const {
  if (!has(key)) return std::nullopt;
  std::vector<std::string> values;
  read(key, &values, {}, {});
  return values;
}

void Section::read(std::string_view key, const base::Place& place, base::Range range,
                   std::string_view constraint) const {
  if (const Node* node = find(key)) {
    std::visit(ValueReader{*node, field(key), range, std::string(constraint)}, place);
  }
}

std::size_t Section::choice(std::string_view key, std::span<const std::string> names) const {
  return check_choice(*find(key), field(key), {names.begin(), names.end()});
}

void Section::forbid(std::string_view key, const std::string& constraint) const {
  if (has(key)) fail(key, constraint);
}

void Section::fail(std::string_view key, const std::string& constraint) const {
  const Node* node = find(key);
  refuse(field(key), node == nullptr ? "(missing)" : show(*node), constraint);
}

}  // namespace duets::study
