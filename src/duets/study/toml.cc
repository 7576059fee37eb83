#include "duets/study/toml.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <tuple>

#include "duets/study/toml_scan.h"

namespace duets::study {
namespace {

constexpr std::size_t kMaxShown = 60;  // bytes of a value in a message

Position position_of(const toml::source_region& region) {
  if (!region.begin) return {};
  return {region.begin.line, region.begin.column};
}

Node convert(const toml::node& from, Position position);

void convert_table(const toml::table& from, Node& to) {
  to.entries.reserve(from.size());
  for (const auto& [key, value] : from) {
    to.entries.emplace_back(std::string(key.str()), convert(value, position_of(key.source())));
  }
  // The library sorts by name, but the order of parameters is the order of coordinates.
  std::stable_sort(to.entries.begin(), to.entries.end(), [](const auto& a, const auto& b) {
    const Position& p = a.second.position;
    const Position& q = b.second.position;
    return std::tie(p.line, p.column) < std::tie(q.line, q.column);
  });
}

Node convert(const toml::node& from, Position position) {
  Node to;
  to.position = position;
  if (const auto* table = from.as_table()) {
    convert_table(*table, to);
  } else if (const auto* array = from.as_array()) {
    to.kind = NodeKind::kArray;
    to.items.reserve(array->size());
    for (const auto& item : *array) to.items.push_back(convert(item, position_of(item.source())));
  } else if (const auto* text = from.as_string()) {
    to.kind = NodeKind::kString;
    to.text = text->get();
  } else if (const auto* integer = from.as_integer()) {
    to.kind = NodeKind::kInteger;
    to.integer = integer->get();
    to.number = static_cast<double>(to.integer);
  } else if (const auto* number = from.as_floating_point()) {
    to.kind = NodeKind::kFloat;
    to.number = number->get();
  } else if (const auto* flag = from.as_boolean()) {
    to.kind = NodeKind::kBoolean;
    to.flag = flag->get();
  } else {
    to.kind = NodeKind::kDate;
  }
  return to;
}

void escape(std::string_view text, std::string& out) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
}

void show_to(const Node& node, std::string& out) {
  if (out.size() > kMaxShown) return;
  switch (node.kind) {
    case NodeKind::kTable:
      out += "{table}";
      return;
    case NodeKind::kString:
      out += '"';
      escape(std::string_view{node.text}.substr(0, kMaxShown), out);
      out += '"';
      return;
    case NodeKind::kInteger:
      out += fmt::format("{}", node.integer);
      return;
    case NodeKind::kFloat:
      out += fmt::format("{}", node.number);
      return;
    case NodeKind::kBoolean:
      out += node.flag ? "true" : "false";
      return;
    case NodeKind::kDate:
      out += "(a date or time)";
      return;
    case NodeKind::kArray:
      break;
  }
  out += '[';
  for (std::size_t i = 0; i < node.items.size() && out.size() <= kMaxShown; ++i) {
    if (i > 0) out += ", ";
    show_to(node.items[i], out);
  }
  out += ']';
}

// Cuts at a character, not inside one.
void shorten(std::string& text) {
  if (text.size() <= kMaxShown) return;
  std::size_t end = kMaxShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  text.resize(end);
  text += "...";
}

// True when `field` begins with the name `key`: followed by nothing, a dot or an index.
bool begins_with_key(std::string_view field, std::string_view key) {
  if (!field.starts_with(key)) return false;
  return field.size() == key.size() || field[key.size()] == '.' || field[key.size()] == '[';
}

// The item of an array that "[12]..." names, or null.
const Node* item_of(const Node& array, std::string_view index) {
  std::size_t i = 0;
  for (const char c : index.substr(1)) {
    if (c < '0' || c > '9' || i > array.items.size()) break;
    i = 10 * i + static_cast<std::size_t>(c - '0');
  }
  return i < array.items.size() ? &array.items[i] : nullptr;
}

}  // namespace

LocatedError::LocatedError(const std::string& file, Position position, const std::string& message)
    : Error(base::ErrorKind::kInvalid,
            fmt::format("{}:{}:{}: {}", file, position.line, position.column, message)) {}

const Node* Node::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  return found == entries.end() ? nullptr : &found->second;
}

std::string show(const Node& node) {
  std::string out;
  show_to(node, out);
  shorten(out);
  return out;
}

std::string show_name(std::string_view name) {
  std::string out;
  escape(name.substr(0, kMaxShown + 1), out);
  shorten(out);
  return out;
}

Node parse_toml(std::string_view text, const std::string& file) {
  if (const auto problem = scan_toml(text)) {
    throw LocatedError(file, problem->position, "cannot be read: " + problem->reason);
  }
  try {
    return convert(toml::parse(text), {});
  } catch (const toml::parse_error& error) {
    std::string description;
    escape(error.description(), description);
    throw LocatedError(file, position_of(error.source()), "is not valid TOML: " + description);
  }
}

Position locate(const Node& root, std::string_view field) {
  const Node* at = &root;
  while (!field.empty()) {
    const Node* next = nullptr;
    std::size_t used = 0;
    // Names may contain dots when quoted, so the longest name that fits wins.
    for (const auto& [key, node] : at->entries) {
      if (begins_with_key(field, key) && key.size() >= used) {
        next = &node;
        used = key.size();
      }
    }
    if (next == nullptr) break;
    at = next;
    field.remove_prefix(used);
    if (field.starts_with('[') && at->kind == NodeKind::kArray) {
      const Node* item = item_of(*at, field);
      return item == nullptr ? at->position : item->position;
    }
    if (field.starts_with('.')) field.remove_prefix(1);
  }
  return at->position;
}

}  // namespace duets::study
