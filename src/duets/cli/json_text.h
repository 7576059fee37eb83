// Formats JSON for all commands.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace duets::cli {

/// Indented, with a newline at the end. Replaces bytes that are not UTF-8: host names and problems
/// come from other machines and must not end a command.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Null for a missing value: a field is always present.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace duets::cli
