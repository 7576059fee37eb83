#include "duets/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "duets/report/chart_number.h"
#include "duets/report/csv.h"

namespace duets::report {
namespace {

Markup shown(const Cell& cell, int digits) {
  if (!cell.shown.html.empty()) return cell.shown;
  if (const auto* real = std::get_if<double>(&cell.value.data)) return number(*real, digits);
  if (const auto* count = std::get_if<std::uint64_t>(&cell.value.data)) return {grouped(*count)};
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value.data)) {
    return {group_digits(std::to_string(*whole))};
  }
  if (const auto* word = std::get_if<std::string>(&cell.value.data)) return text(*word);
  if (const auto* truth = std::get_if<bool>(&cell.value.data)) return {*truth ? "yes" : "no"};
  return {std::string(kDash)};
}

// Head and cells that people see, as markup.
std::vector<std::vector<Markup>> shown_rows(const Table& table) {
  std::vector<std::vector<Markup>> rows(table.rows.size() + 1);
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    if (table.head[i].title.html.empty()) continue;
    rows[0].push_back(table.head[i].title);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      rows[row + 1].push_back(shown(table.rows[row][i], table.head[i].digits));
    }
  }
  return rows;
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, Align others) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += i == 0 || others == Align::kLeft ? row[i] + space : space + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string tagged(std::string_view tag, std::string_view scope, const Markup& content) {
  return fmt::format("<{}{}>{}</{}>", tag, scope, content.html, tag);
}

}  // namespace

Table shown_table(Markup caption, const std::vector<std::string>& titles,
                  const std::vector<std::vector<Markup>>& rows) {
  Table table{.caption = std::move(caption)};
  for (const std::string& title : titles) table.head.push_back({.title = {title}});
  for (const auto& row : rows) {
    table.rows.emplace_back();
    for (const Markup& cell : row) table.rows.back().push_back({.shown = cell});
  }
  return table;
}

Table facts_table(const std::vector<std::pair<std::string, std::string>>& facts) {
  const Columns<std::pair<std::string, std::string>> columns = {
      {"name", [](const auto& fact) { return Value(fact.first); }, "what"},
      {"value", [](const auto& fact) { return Value(fact.second); }, "value"}};
  return make_table(columns, facts);
}

Table turned(const Table& table) {
  const std::vector<std::vector<Markup>> rows = shown_rows(table);
  std::vector<std::string> titles;
  titles.reserve(rows.size());
  for (const auto& row : rows) titles.push_back(row.front().html);
  std::vector<std::vector<Markup>> lines;
  for (std::size_t i = 1; i < rows.front().size(); ++i) {
    lines.emplace_back();
    for (const auto& row : rows) lines.back().push_back(row[i]);
  }
  return shown_table(table.caption, titles, lines);
}

void append_csv(std::string& out, const Value& value) {
  const auto to = std::back_inserter(out);
  if (const auto* real = std::get_if<double>(&value.data)) fmt::format_to(to, "{}", *real);
  if (const auto* count = std::get_if<std::uint64_t>(&value.data)) fmt::format_to(to, "{}", *count);
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) fmt::format_to(to, "{}", *whole);
  if (const auto* word = std::get_if<std::string>(&value.data)) out += csv_field(*word);
  if (const auto* truth = std::get_if<bool>(&value.data)) out += *truth ? '1' : '0';
}

std::string to_csv(const Table& table) {
  std::string out;
  const auto add_line = [&](const auto& field) {
    const char* separator = "";
    for (std::size_t i = 0; i < table.head.size(); ++i) {
      if (table.head[i].name.empty()) continue;
      append_csv(out += separator, field(i));
      separator = ",";
    }
    out += "\n";
  };
  add_line([&](std::size_t i) { return Value(table.head[i].name); });
  for (const auto& row : table.rows) add_line([&](std::size_t i) { return row[i].value; });
  return out;
}

std::string to_text(const Table& table, Align others) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : shown_rows(table)) {
    rows.emplace_back();
    for (const Markup& cell : row) rows.back().push_back(plain(cell));
  }
  const std::string caption = plain(table.caption);
  return (caption.empty() ? "" : caption + "\n") + aligned(rows, others);
}

Markup to_html(const Table& table) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\">\n<table>\n";
  if (!table.caption.html.empty()) out += tagged("caption", "", table.caption) + "\n";
  const std::vector<std::vector<Markup>> rows = shown_rows(table);
  out += "<thead><tr>";
  for (const Markup& title : rows.front()) out += tagged("th", " scope=\"col\"", title);
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 1; row < rows.size(); ++row) {
    out += "<tr>" + tagged("th", " scope=\"row\"", rows[row].front());
    for (std::size_t i = 1; i < rows[row].size(); ++i) out += tagged("td", "", rows[row][i]);
    out += "</tr>\n";
  }
  return {out + "</tbody>\n</table>\n</div>\n"};
}

}  // namespace duets::report
