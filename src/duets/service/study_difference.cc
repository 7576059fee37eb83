#include "duets/service/study_difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace duets::service {
namespace {

constexpr std::size_t kMaxShown = 8;
constexpr std::size_t kMaxValue = 60;

using Fields = std::vector<std::pair<std::string, std::string>>;

// Keys cannot contain " = ": a parameter's name is in a table line.
Fields fields_of(std::string_view text) {
  constexpr std::string_view kEquals = " = ";
  Fields fields;
  std::string table;
  bool inside_list = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (inside_list) {
      fields.back().second += line;
      inside_list = line != "]";
    } else if (line.starts_with('[') && line.ends_with(']')) {
      table = line.substr(1, line.size() - 2);
    } else if (const std::size_t at = line.find(kEquals);
               at != std::string_view::npos && !line.starts_with('#')) {
      const std::string_view value = line.substr(at + kEquals.size());
      fields.emplace_back(fmt::format("{}.{}", table, line.substr(0, at)), value);
      inside_list = value == "[";
    }
  }
  return fields;
}

std::map<std::string, std::string> by_name(const Fields& fields) {
  return {fields.begin(), fields.end()};
}

std::string shown(const std::string& value) {
  if (value.empty()) return "not given";
  if (value.size() <= kMaxValue) return value;
  std::size_t end = kMaxValue;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;  // UTF-8
  return value.substr(0, end) + "...";
}

}  // namespace

std::vector<FieldDifference> differing_fields(std::string_view first, std::string_view second) {
  const Fields ours = fields_of(first);
  const Fields theirs = fields_of(second);
  const auto our_values = by_name(ours);
  const auto their_values = by_name(theirs);
  std::vector<FieldDifference> differences;
  for (const auto& [name, value] : ours) {
    const auto other = their_values.find(name);
    if (other == their_values.end()) {
      differences.push_back({name, value, ""});
    } else if (other->second != value) {
      differences.push_back({name, value, other->second});
    }
  }
  for (const auto& [name, value] : theirs) {
    if (!our_values.contains(name)) differences.push_back({name, "", value});
  }
  return differences;
}

std::string difference_text(const std::vector<FieldDifference>& differences) {
  std::vector<std::string> parts;
  for (const FieldDifference& d : differences) {
    if (parts.size() == kMaxShown) {
      parts.push_back(fmt::format("and {} more", differences.size() - kMaxShown));
      break;
    }
    parts.push_back(
        fmt::format("{} is {} there and {} here", d.field, shown(d.first), shown(d.second)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace duets::service
