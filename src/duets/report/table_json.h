// Tables as JSON. Code that includes this links nlohmann-json; the module itself does not.
#pragma once

#include <nlohmann/json.hpp>

#include "duets/report/table.h"

namespace duets::report {

/// Null for a missing value, so that every object has the same fields.
inline nlohmann::ordered_json to_json(const Value& value) {
  return std::visit(
      [](const auto& data) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<std::decay_t<decltype(data)>, std::monostate>) {
          return nullptr;
        } else {
          return data;
        }
      },
      value.data);
}

/// An object for each row, with the names of the columns.
inline nlohmann::ordered_json to_json(const Table& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!table.head[i].name.empty()) object[table.head[i].name] = to_json(row[i].value);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace duets::report
