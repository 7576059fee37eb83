#include "duets/report/report.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"
#include "duets/report/markup_test_support.h"
#include "duets/report/prose.h"

namespace duets::report {
namespace {

Report sample() {
  Section section{.title = "First & last"};
  section.blocks = {
      Paragraph{text("a < b")},
      List{{text("one"), strong(text("two"))}},
      Quote{text("said")},
      facts_table({{"name", "<value>"}}),
      Drawing{"<svg></svg>\n", text("a picture")},
      Cards{{{.title = "Card", .value = number(2), .lines = {text("line")}}}},
      Details{.summary = text("more"), .paragraph = text("words"), .items = {text("item")}}};
  return {.title = "t <1>", .lead = text("lead"), .sections = {section}};
}

TEST(Report, PageIsWellFormedAndHasEveryBlock) {
  const std::string html = to_html(sample());
  EXPECT_EQ(markup_testing::XmlCheck(html).problem(), std::nullopt);
  for (const char* part :
       {"<title>t &lt;1&gt;</title>", "<h1>t &lt;1&gt;</h1>", "<p class=\"lead\">lead</p>",
        "<h2>First &amp; last</h2>", "<p>a &lt; b</p>", "<li><strong>two</strong></li>",
        "<blockquote>said</blockquote>", "&lt;value&gt;", "<svg></svg>\n<figcaption>a picture",
        "<p class=\"value\">2</p>", "<p class=\"small\">line</p>", "<summary>more</summary>"}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
}

TEST(Report, TextHasEveryBlockWithoutTags) {
  EXPECT_EQ(to_text(sample().sections),
            "First & last\na < b\n- one\n- two\n> said\nwhat    value\nname  <value>\n"
            "a picture\nCard: 2\n  line\nmore\nwords\n- item\n");
}

TEST(Report, TextBreaksLinesBetweenWords) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  const std::string out = to_text({{.title = {}, .blocks = {List{{text(words)}}}}});
  EXPECT_EQ(out.find("- word"), 0u);
  std::size_t begin = 0;
  for (std::size_t end = out.find('\n'); end != std::string::npos; end = out.find('\n', begin)) {
    EXPECT_LE(end - begin, 100u);
    EXPECT_GE(end - begin, 90u * (end + 1 < out.size() ? 1 : 0));
    begin = end + 1;
  }
}

constexpr std::string_view kText = R"(Ahead of the first key.

# one
A **bold {x}** word and `a < b`;
on two lines.

# two
First.

- item one
  goes on
- item {x}

- another list
#
Outside of all sections.
)";

TEST(Prose, ParagraphsAndListsWithBlanksFilledIn) {
  const Prose prose(kText);
  EXPECT_EQ(prose.line("one", {{"x", number(3)}}).html,
            "A <strong>bold 3</strong> word and <code>a &lt; b</code>; on two lines.");
  const Blocks two = prose.blocks("two", {{"x", text("<y>")}});
  ASSERT_EQ(two.size(), 3u);
  EXPECT_EQ(std::get<Paragraph>(two[0]).content.html, "First.");
  ASSERT_EQ(std::get<List>(two[1]).items.size(), 2u);
  EXPECT_EQ(std::get<List>(two[1]).items[0].html, "item one goes on");
  EXPECT_EQ(std::get<List>(two[1]).items[1].html, "item &lt;y&gt;");
  EXPECT_EQ(std::get<List>(two[2]).items.size(), 1u);
}

TEST(Prose, RefusesWhatIsNotThere) {
  const Prose prose(kText);
  EXPECT_THROW(prose.blocks("three"), base::Error);
  EXPECT_THROW(prose.blocks("one"), base::Error) << "no value for x";
  EXPECT_THROW(prose.line("two", {{"x", {}}}), base::Error) << "more than one paragraph";
  EXPECT_THROW(Prose("# a\n**open\n").blocks("a"), base::Error);
  EXPECT_THROW(Prose("# a\nx\n# a\ny\n"), base::Error);
}

}  // namespace
}  // namespace duets::report
