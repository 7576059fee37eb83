// Reads CSV as people and spreadsheets write it: quoted fields, either line ending, blank lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace duets::base {

struct CsvRow {
  std::size_t line = 0;  ///< from 1, where the row begins
  std::vector<std::string> fields;
};

/// Rows in order, without blank lines; fields are trimmed unless quoted. kInvalid, naming `file`
/// and the line, for a quote that is not closed or is inside a field.
std::vector<CsvRow> read_csv(std::string_view text, const std::string& file);

}  // namespace duets::base
