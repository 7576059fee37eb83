// Reads CSV as people and spreadsheets write it: quoted fields, either line ending, blank lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace duets::report {

struct CsvRow {
  std::size_t line = 0;  ///< from 1, where the row begins
  std::vector<std::string> fields;
};

/// Rows in order, without blank lines; fields are trimmed unless quoted. kInvalid, naming `file`
/// and the line, for a quote that is not closed or is inside a field.
std::vector<CsvRow> read_csv(std::string_view text, const std::string& file);

/// `text` as a field that read_csv reads back unchanged: quoted where RFC 4180 requires it, and
/// where blanks begin or end it.
std::string csv_field(std::string_view text);

}  // namespace duets::report
