// Tables as data: each column is defined once, by its name and a function from row to value, and
// rendered as CSV, JSON (table_json.h), text and HTML.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "duets/report/html.h"

namespace duets::report {

/// The value of a cell. A number that is not finite is a missing value.
struct Value {
  Value() = default;
  // NOLINTBEGIN(google-explicit-constructor): a cell takes whatever is put into it
  Value(bool given) : data(given) {}
  Value(std::string given) : data(std::move(given)) {}
  Value(std::string_view given) : data(std::string(given)) {}
  Value(const char* given) : data(std::string(given)) {}
  template <std::unsigned_integral Number>
  Value(Number given) : data(static_cast<std::uint64_t>(given)) {}
  template <std::signed_integral Number>
  Value(Number given) : data(static_cast<std::int64_t>(given)) {}
  template <std::floating_point Number>
  Value(Number given) {
    if (std::isfinite(given)) data = static_cast<double>(given);
  }
  template <class Given>
  Value(const std::optional<Given>& given) {
    if (given) *this = Value(*given);
  }

  template <class... Given>
  Value(const std::variant<Given...>& given)
      : Value(std::visit([](const auto& one) { return Value(one); }, given)) {}
  // NOLINTEND(google-explicit-constructor)

  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string> data{};
};

/// One column of a table with an entry for each Row.
template <class Row>
struct Column {
  std::string name{};                         ///< in CSV and JSON; empty: omitted there
  std::function<Value(const Row&)> value{};   ///< the value in CSV and JSON
  std::string title{};                        ///< in text and HTML, markup; empty: omitted there
  std::function<Markup(const Row&)> shown{};  ///< the cell in text and HTML; by default the value
  int digits = 4;                             ///< significant digits of numbers in text and HTML
};
template <class Row>
using Columns = std::vector<Column<Row>>;

struct Cell {
  Value value{};
  Markup shown{};  ///< for people; empty: the value
};

struct Table {
  struct Head {
    std::string name{};
    Markup title{};
    int digits = 4;
  };

  Markup caption{};  ///< above it, for people
  std::vector<Head> head{};
  std::vector<std::vector<Cell>> rows{};  ///< each as long as the head
};

/// The table of the rows, any range of Row.
template <class Row, class Rows>
Table make_table(const Columns<Row>& columns, const Rows& rows, Markup caption = {}) {
  Table table{.caption = std::move(caption)};
  for (const Column<Row>& c : columns) table.head.push_back({c.name, {c.title}, c.digits});
  for (const Row& row : rows) {
    table.rows.emplace_back();
    for (const Column<Row>& c : columns) {
      table.rows.back().push_back(
          {c.value ? c.value(row) : Value(), c.shown ? c.shown(row) : Markup{}});
    }
  }
  return table;
}

/// A table for people only: titles, and cells as they are shown.
Table shown_table(Markup caption, const std::vector<std::string>& titles,
                  const std::vector<std::vector<Markup>>& rows);
/// Names and values, each text, as a table of the columns `name` and `value`.
Table facts_table(const std::vector<std::pair<std::string, std::string>>& facts);
/// The table transposed, for people: a line for each title and a column for each row; the cells of
/// the first column become titles.
Table turned(const Table& table);

/// CSV (RFC 4180, "\n" line ends, header first). Numbers are the shortest that read back as the
/// same double; true and false are 1 and 0; a missing value is an empty field.
std::string to_csv(const Table& table);
/// Row by row, for tables that are too long for memory.
void append_csv(std::string& out, const Value& value);
template <class Row>
std::string csv_head(const Columns<Row>& columns) {
  std::string out;
  for (const Column<Row>& c : columns) append_csv(out += out.empty() ? "" : ",", c.name);
  return out + "\n";
}
template <class Row>
void append_csv_row(std::string& out, const Columns<Row>& columns, const Row& row) {
  const char* separator = "";
  for (const Column<Row>& c : columns) {
    append_csv(out += separator, c.value(row));
    separator = ",";
  }
  out += "\n";
}

enum class Align : std::uint8_t { kLeft, kRight };
/// Columns two spaces apart, the first left-aligned and the others as given; a caption above.
std::string to_text(const Table& table, Align others = Align::kRight);
/// With headers for rows and columns; the caption is read out by screen readers and shown above.
Markup to_html(const Table& table);

}  // namespace duets::report
