// JSON as every command prints it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace duets::cli {

/// Indented, with a newline at the end. Bytes that are no text are replaced: names of hosts and
/// problems come from other machines and must not end a command.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Null for what is not there: a field never comes and goes.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace duets::cli
