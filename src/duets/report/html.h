// Pieces of HTML for the report.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace duets::report {

/// Markup that may stand in the page: made from text by `text`, or from pieces of markup.
struct Markup {
  std::string html;
};

/// User's text, escaped.
Markup text(std::string_view plain);
/// A number, or a dash when it is not finite.
Markup number(double value, int significant = 4);

/// <tag>...</tag>
Markup element(std::string_view tag, const Markup& content);
Markup paragraph(const Markup& content);
Markup section(std::string_view title, const Markup& content);
Markup code(std::string_view plain);

Markup join(std::initializer_list<Markup> parts);

/// A table with column headers and, if `row_headers`, a header in the first cell of each row.
/// `caption` is read out by screen readers and shown above the table.
struct Table {
  Markup caption;
  std::vector<Markup> head;
  std::vector<std::vector<Markup>> rows;
  bool row_headers = true;
};
Markup table(const Table& table);

/// Names and values, each text, as a table of two columns.
Markup facts_table(const std::vector<std::pair<std::string, std::string>>& facts);

/// The whole page around the body.
std::string page(std::string_view title, const Markup& body);

}  // namespace duets::report
