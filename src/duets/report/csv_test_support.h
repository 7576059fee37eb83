// Reads a CSV table back by its column names, for tests.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "duets/base/error.h"
#include "duets/report/csv.h"

namespace duets::report {

/// A column and the value that its field must read back as: text, a number to the last bit, or an
/// empty field.
struct CsvCell {
  CsvCell(std::string_view name, std::string_view text) : column(name), value(std::string(text)) {}
  CsvCell(std::string_view name, const char* text) : CsvCell(name, std::string_view(text)) {}
  CsvCell(std::string_view name, const std::string& text) : CsvCell(name, std::string_view(text)) {}
  CsvCell(std::string_view name, std::nullopt_t) : column(name) {}
  CsvCell(std::string_view name, const std::optional<double>& number) : column(name) {
    if (number) value = *number;
  }
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number> CsvCell(std::string_view name,
                                                                        Number number)
      : column(name), value(static_cast<double>(number)) {}

  std::string column;
  std::variant<std::monostate, std::string, double> value;
};
using CsvCells = std::vector<CsvCell>;

class CsvTable {
 public:
  /// kInvalid without a header, or when a row does not have as many fields as the header.
  explicit CsvTable(std::string_view text) : rows_(read_csv(text, "table")) {
    base::require(!rows_.empty(), "table", "empty", "needs a head");
    for (const CsvRow& row : rows_) {
      base::require(row.fields.size() == head().size(), fmt::format("line {}", row.line),
                    fmt::format("{} fields", row.fields.size()),
                    fmt::format("the head has {}", head().size()));
    }
  }

  const std::vector<std::string>& head() const { return rows_.front().fields; }
  std::size_t num_rows() const { return rows_.size() - 1; }

  /// Describes what is wrong with a row (from 0): empty when its fields are exactly these, under
  /// these columns, in this order. EXPECT_EQ(table.difference(row, cells), "").
  std::string difference(std::size_t row, const CsvCells& cells) const {
    if (row >= num_rows()) return fmt::format("there is no row {}", row);
    if (cells.size() != head().size()) {
      return fmt::format("{} columns, not {}", head().size(), cells.size());
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (head()[i] != cells[i].column) {
        return fmt::format("column {} is {}, not {}", i, head()[i], cells[i].column);
      }
      const std::string& field = rows_[row + 1].fields[i];
      if (!is(field, cells[i])) {
        return fmt::format("row {}: {} is {}, not {}", row, cells[i].column, field,
                           text_of(cells[i]));
      }
    }
    return {};
  }

 private:
  static bool is(const std::string& field, const CsvCell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell.value)) return field == *text;
    const auto* number = std::get_if<double>(&cell.value);
    if (number == nullptr) return field.empty();
    double read = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, read);
    return error == std::errc() && stop == end && read == *number;
  }

  static std::string text_of(const CsvCell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell.value)) return *text;
    const auto* number = std::get_if<double>(&cell.value);
    return number != nullptr ? fmt::format("{}", *number) : "empty";
  }

  std::vector<CsvRow> rows_;
};

}  // namespace duets::report
