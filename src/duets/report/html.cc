#include "duets/report/html.h"

#include "duets/report/chart_number.h"
#include "duets/report/svg.h"

namespace duets::report {
namespace {

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; }
body { margin: 0; background: #f5f6f8; color: #1c1f24; line-height: 1.5;
  font-family: Helvetica, Arial, "DejaVu Sans", sans-serif; font-size: 16px; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 30px; margin: 12px 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 21px; margin: 0 0 12px; }
section { background: #ffffff; border: 1px solid #dfe2e7; border-radius: 8px;
  padding: 20px 24px; margin: 20px 0; }
.lead { color: #4d535c; margin: 0 0 8px; overflow-wrap: anywhere; }
.cards { display: flex; flex-wrap: wrap; gap: 16px; margin: 0 0 14px; }
.card { flex: 1 1 300px; border: 1px solid #dfe2e7; border-radius: 6px; padding: 14px 18px; }
.card h3 { margin: 0 0 4px; font-size: 16px; }
.card.first { border-left: 5px solid #0072b2; }
.card.second { border-left: 5px solid #d55e00; }
.value { font-size: 28px; font-weight: bold; margin: 2px 0; }
.small { color: #4d535c; font-size: 14px; margin: 4px 0; }
figure { margin: 0 0 26px; }
figure svg { width: 100%; height: auto; display: block; }
figcaption { color: #33383f; font-size: 15px; margin-top: 6px; max-width: 62em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; margin: 4px 0 14px;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; color: #4d535c; padding: 0 0 6px; }
th, td { padding: 5px 10px; border-bottom: 1px solid #e4e7eb; text-align: right;
  vertical-align: bottom; white-space: nowrap; }
thead th { border-bottom: 2px solid #9aa1ab; font-weight: 600; }
th:first-child, td:first-child { text-align: left; }
tbody th { font-weight: 600; white-space: nowrap; }
code { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 14px;
  overflow-wrap: anywhere; }
@media print { body { background: #ffffff; } section { border: 0; padding: 0; } }
)";

std::string cell(std::string_view tag, std::string_view scope, const Markup& content) {
  std::string out = "<" + std::string(tag);
  if (!scope.empty()) out += " scope=\"" + std::string(scope) + "\"";
  return out + ">" + content.html + "</" + std::string(tag) + ">";
}

}  // namespace

Markup text(std::string_view plain) { return {escape_markup(plain)}; }

Markup number(double value, int significant) { return {html_number(value, significant)}; }

Markup element(std::string_view tag, const Markup& content) {
  return {cell(tag, "", content) + "\n"};
}

Markup paragraph(const Markup& content) { return element("p", content); }

Markup section(std::string_view title, const Markup& content) {
  return {"<section>\n" + element("h2", text(title)).html + content.html + "</section>\n"};
}

Markup code(std::string_view plain) { return {"<code>" + escape_markup(plain) + "</code>"}; }

Markup join(std::initializer_list<Markup> parts) {
  Markup out;
  for (const Markup& part : parts) out.html += part.html;
  return out;
}

Markup table(const Table& table) {
  std::string out = "<div class=\"scroll\" tabindex=\"0\">\n<table>\n";
  if (!table.caption.html.empty()) out += "<caption>" + table.caption.html + "</caption>\n";
  out += "<thead><tr>";
  for (const Markup& head : table.head) out += cell("th", "col", head);
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += i == 0 && table.row_headers ? cell("th", "row", row[i]) : cell("td", "", row[i]);
    }
    out += "</tr>\n";
  }
  return {out + "</tbody>\n</table>\n</div>\n"};
}

Markup facts_table(const std::vector<std::pair<std::string, std::string>>& facts) {
  Table out{.caption = {}, .head = {text("what"), text("value")}, .rows = {}};
  for (const auto& [name, value] : facts) out.rows.push_back({text(name), text(value)});
  return table(out);
}

std::string page(std::string_view title, const Markup& body) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         escape_markup(title) + "</title>\n<style>" + std::string(kStyle) +
         "</style>\n</head>\n<body>\n<main>\n" + body.html + "</main>\n</body>\n</html>\n";
}

}  // namespace duets::report
