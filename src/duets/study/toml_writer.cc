#include "duets/study/toml_writer.h"

#include <fmt/format.h>

namespace duets::study {
namespace {

template <class Value, class Show>
std::string list_of(const std::vector<Value>& values, const Show& show) {
  std::string out = "[";
  for (const Value& value : values) {
    if (out.size() > 1) out += ", ";
    out += show(value);
  }
  return out + "]";
}

/// The TOML of what a place points to; empty for nothing.
struct Shown {
  std::string operator()(const double* value) const { return toml_number(*value); }
  std::string operator()(const std::uint32_t* value) const { return std::to_string(*value); }
  std::string operator()(const std::uint64_t* value) const { return std::to_string(*value); }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const std::string* value) const {
    return value->empty() ? "" : toml_text(*value);
  }
  std::string operator()(const std::vector<double>* values) const {
    return values->size() == 1 ? toml_number(values->front()) : list_of(*values, toml_number);
  }
  std::string operator()(const std::vector<std::uint32_t>* values) const {
    return list_of(*values, [](std::uint32_t value) { return std::to_string(value); });
  }
  std::string operator()(const std::vector<std::string>* values) const {
    return values->empty() ? "" : list_of(*values, toml_text);
  }
  std::string operator()(const base::EnumPlace& place) const {
    for (const auto& entry : place.entries) {
      if (entry.value == *place.number) return toml_text(entry.name);
    }
    return "";
  }
  template <class Value>
  std::string operator()(const std::optional<Value>* value) const {
    return *value ? (*this)(&**value) : "";
  }
};

}  // namespace

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_value(const base::Place& place) { return std::visit(Shown{}, place); }

void TomlWriter::table(std::string_view name) {
  if (!text_.empty()) text_ += '\n';
  text_ += fmt::format("[{}]\n", name);
}

void TomlWriter::comment(std::string_view comment) { text_ += fmt::format("# {}\n", comment); }

void TomlWriter::raw(std::string_view key, std::string_view value) {
  text_ += fmt::format("{} = {}\n", key, value);
}

void TomlWriter::value(std::string_view key, const base::Place& place) {
  const std::string shown = toml_value(place);
  if (!shown.empty()) raw(key, shown);
}

}  // namespace duets::study
