#include "duets/report/csv.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"
#include "duets/report/csv_test_support.h"

namespace duets::report {
namespace {

std::string error_of(std::string_view text) {
  try {
    read_csv(text, "f.csv");
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "(no error)";
}

TEST(CsvRows, QuotesBlanksLineEndingsAndMarks) {
  const auto rows = read_csv(
      "\xEF\xBB\xBF"
      "a, b ,\"c,\"\"d\"\"\"\r\n\r\n\n1,,\" x \"\n\"l\nm\",2\n3",
      "f.csv");
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].fields, (std::vector<std::string>{"a", "b", "c,\"d\""}));
  EXPECT_EQ(rows[1].fields, (std::vector<std::string>{"1", "", " x "}));
  EXPECT_EQ(rows[1].line, 4U);
  EXPECT_EQ(rows[2].fields, (std::vector<std::string>{"l\nm", "2"}));
  EXPECT_EQ(rows[3].line, 7U);
  EXPECT_TRUE(read_csv("", "f.csv").empty());
}

TEST(CsvRows, BrokenQuotesAreNamed) {
  EXPECT_EQ(error_of("a\nb,\"c\nd"), "f.csv:2: a quote is opened and not closed");
  EXPECT_EQ(error_of("a\"b"), "f.csv:1: a quote inside a field; quote the whole field");
  EXPECT_EQ(error_of("\"a\"b"), "f.csv:1: text after a closing quote");
}

// The tests of tables lean on this: every kind of difference must be seen.
TEST(CsvTable, FindsEveryDifference) {
  const CsvTable table("name,count,mean,low\n\"a,b\",3,0.1,\n");
  ASSERT_EQ(table.num_rows(), 1U);
  const auto same = [&](const CsvCells& cells) { return table.difference(0, cells).empty(); };
  EXPECT_EQ(
      table.difference(0, {{"name", "a,b"}, {"count", 3U}, {"mean", 0.1}, {"low", std::nullopt}}),
      "");
  EXPECT_FALSE(same({{"name", "a"}, {"count", 3U}, {"mean", 0.1}, {"low", std::nullopt}}));
  EXPECT_FALSE(same({{"name", "a,b"}, {"count", 2U}, {"mean", 0.1}, {"low", std::nullopt}}));
  EXPECT_FALSE(
      same({{"name", "a,b"}, {"count", 3U}, {"mean", 0.1 + 1e-16}, {"low", std::nullopt}}));
  EXPECT_FALSE(same({{"name", "a,b"}, {"count", 3U}, {"mean", 0.1}, {"low", 0.0}}));
  EXPECT_FALSE(same({{"name", "a,b"}, {"mean", 0.1}, {"count", 3U}, {"low", std::nullopt}}));
  EXPECT_FALSE(same({{"name", "a,b"}, {"count", 3U}, {"mean", 0.1}}));
  EXPECT_NE(table.difference(1, {}), "");
}

TEST(CsvTable, ARowOfAnotherLengthIsRefused) {
  EXPECT_THROW(CsvTable("a,b\n1\n"), base::Error);
  EXPECT_THROW(CsvTable("a,b\n1,2,3\n"), base::Error);
  EXPECT_THROW(CsvTable(""), base::Error);
}

TEST(Csv, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("two words"), "two words");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
}

TEST(Csv, EveryFieldReadsBack) {
  for (const char* field : {"", "a", " a", "a\t", "a,b", "say \"x\"", "two\nlines", "\"", " , "}) {
    const std::string text = csv_field("x") + "," + csv_field(field) + "\n";
    EXPECT_EQ(read_csv(text, "t")[0].fields[1], field) << text;
  }
}

}  // namespace
}  // namespace duets::report
