#include "duets/report/table.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "duets/report/csv.h"
#include "duets/report/table_json.h"

namespace duets::report {
namespace {

struct Row {
  std::string name;
  double value = 0;
  std::uint64_t count = 0;
  bool good = false;
  std::optional<double> maybe{};
};

Columns<Row> columns() {
  return {{.name = "name", .value = &Row::name, .title = "what"},
          {.name = "value", .value = &Row::value, .title = "how much", .digits = 2},
          {.name = "count", .value = &Row::count, .title = "how many"},
          {.name = "good", .value = &Row::good},
          {.name = "maybe", .value = &Row::maybe, .title = "maybe"},
          {.title = "twice", .shown = [](const Row& r) { return number(2 * r.value); }}};
}

const std::vector<Row> kRows = {{"a, \"b\"", 0.1, 12345, true, {}},
                                {"<c>", std::numeric_limits<double>::infinity(), 1, false, 2.5e-7}};

TEST(Table, CsvHasTheNamedColumnsAndReadsBack) {
  const std::string csv = to_csv(make_table(columns(), kRows));
  EXPECT_EQ(csv,
            "name,value,count,good,maybe\n"
            "\"a, \"\"b\"\"\",0.1,12345,1,\n"
            "<c>,,1,0,2.5e-07\n");
  EXPECT_EQ(read_csv(csv, "table")[1].fields[0], "a, \"b\"");
}

TEST(Table, RowByRowGivesTheSameBytes) {
  Columns<Row> named = columns();
  named.pop_back();
  std::string text = csv_head(named);
  for (const Row& row : kRows) append_csv_row(text, named, row);
  EXPECT_EQ(text, to_csv(make_table(named, kRows)));
}

TEST(Table, JsonHasNullForWhatDoesNotExist) {
  EXPECT_EQ(to_json(make_table(columns(), kRows)).dump(),
            R"([{"name":"a, \"b\"","value":0.1,"count":12345,"good":true,"maybe":null},)"
            R"({"name":"<c>","value":null,"count":1,"good":false,"maybe":2.5e-07}])");
}

TEST(Table, HtmlHasTheTitledColumnsAndEscapes) {
  const std::string html = to_html(make_table(columns(), kRows, {"caption"})).html;
  EXPECT_NE(html.find("<caption>caption</caption>"), std::string::npos);
  EXPECT_NE(html.find("<thead><tr><th scope=\"col\">what</th><th scope=\"col\">how much</th>"
                      "<th scope=\"col\">how many</th><th scope=\"col\">maybe</th>"
                      "<th scope=\"col\">twice</th></tr></thead>"),
            std::string::npos);
  EXPECT_NE(html.find("<th scope=\"row\">&lt;c&gt;</th><td>\xE2\x80\x93</td><td>1</td>"),
            std::string::npos);
  EXPECT_NE(html.find("<td>12,345</td>"), std::string::npos);
  EXPECT_EQ(html.find("good"), std::string::npos);
}

TEST(Table, TextIsAlignedByCharacters) {
  EXPECT_EQ(to_text(make_table(columns(), kRows, {"caption"})),
            "caption\n"
            "what    how much  how many       maybe  twice\n"
            "a, \"b\"       0.1    12,345           \xE2\x80\x93    0.2\n"
            "<c>            \xE2\x80\x93         1  2.5\xE2\x80\x89\xC3\x97\xE2\x80\x89"
            "10\xE2\x81\xBB\xE2\x81\xB7      \xE2\x80\x93\n");
}

TEST(Table, WordsAreAlignedOnTheLeft) {
  EXPECT_EQ(to_text(make_table(Columns<Row>{{"name", &Row::name, "what"},
                                            {"count", &Row::count, "how many"},
                                            {"good", &Row::good, "good"}},
                               kRows),
                    Align::kLeft),
            "what    how many  good\n"
            "a, \"b\"  12,345    yes\n"
            "<c>     1         no\n");
}

TEST(Table, FactsHaveANameAndAValue) {
  EXPECT_EQ(to_csv(facts_table({{"queries", "2 x 3"}, {"epochs", "2, 1"}})),
            "name,value\nqueries,2 x 3\nepochs,\"2, 1\"\n");
}

TEST(Table, TurnedHasALineForEachColumn) {
  EXPECT_EQ(to_text(turned(make_table(columns(), kRows))),
            "what      a, \"b\"         <c>\n"
            "how much     0.1           \xE2\x80\x93\n"
            "how many  12,345           1\n"
            "maybe          \xE2\x80\x93  2.5\xE2\x80\x89\xC3\x97\xE2\x80\x89"
            "10\xE2\x81\xBB\xE2\x81\xB7\n"
            "twice        0.2           \xE2\x80\x93\n");
}

TEST(Html, PlainTextHasNoTagsAndNoEntities) {
  EXPECT_EQ(plain(join({strong(text("a < b")), {" &amp; "}, code("x"), {" 10<sup>-3</sup>"}})),
            "a < b & x 10\xE2\x81\xBB\xC2\xB3");
  EXPECT_EQ(plain({"&amp;lt;"}), "&lt;");
}

}  // namespace
}  // namespace duets::report
