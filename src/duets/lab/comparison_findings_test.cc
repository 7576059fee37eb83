#include "duets/lab/comparison_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/lab/comparison_test_support.h"

namespace duets::lab {
namespace {

using test::fake_analysis;
using test::fake_study;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const Analysis& analysis, const PageHead& head) {
  return to_html(comparison_findings(analysis, head).page);
}

Analysis both_presets() {
  auto study = fake_study("paper", 50, 80);
  const auto plotted = fake_study("as-plotted", 60, 80);
  study.insert(study.end(), plotted.begin(), plotted.end());
  return fake_analysis(study);
}

// Every opening tag of the kinds that hold content is closed, in order.
bool well_nested(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (html[at + 1] == '!' || html[end - 1] == '/') continue;
    const bool closes = html[at + 1] == '/';
    const std::size_t first = at + (closes ? 2 : 1);
    const std::string name = html.substr(first, html.find_first_of(" >", first) - first);
    if (!closes) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

TEST(ComparisonPage, OfTheStudyHasClaimsFiguresTablesAndReasons) {
  const std::string html = page_of(both_presets(), {.title = "The study", .lead = "lead"});
  for (const char* part :
       {"The published claims", "Figure: paper", "Figure: as-plotted", "reals: paper", ">links<",
        "Published values beside ours", "Every beta: paper", "defective", "ceil", "1.0474",
        "N-KernelUCB sends nothing", "chosen in hindsight", "What was run", "5 runs (seeds 1 to 5)",
        "winner"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_TRUE(well_nested(html));
}

TEST(ComparisonPage, LoadsNothingAndHasNoNan) {
  const std::string html = page_of(both_presets(), {.title = "The study"});
  for (const char* part : {"<script", "src=", "<link", "@import", "url(http", ">nan<", ">inf<"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
}

TEST(ComparisonPage, OwnStudyHasNothingPublished) {
  auto study = fake_study("mine", 50, 80);
  study.resize(1);
  const std::string html = page_of(fake_analysis(study), {.title = "mine"});
  EXPECT_THAT(html, Not(HasSubstr("Published values")));
  EXPECT_THAT(html, Not(HasSubstr("claims")));
  EXPECT_THAT(html, Not(HasSubstr("read off")));
  EXPECT_THAT(html, HasSubstr("Figure: mine"));
  EXPECT_TRUE(well_nested(html));
}

TEST(ComparisonPage, EscapesWhatComesFromOutside) {
  const std::string evil = "<b>&\"'";
  const std::vector<test::FakeTask> study = {
      {evil, evil, {{"DUETS", 1, 50, 9, 1, evil}, {evil, 1, 60, 9}}}};
  const std::string html =
      page_of(fake_analysis(study), {evil, evil, {{evil, evil}, {"command", evil}}});
  EXPECT_THAT(html, Not(HasSubstr(evil)));
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_TRUE(well_nested(html));
}

TEST(ComparisonPage, OneRunSaysThatNothingIsDecided) {
  const std::string html = page_of(fake_analysis(fake_study("paper", 50, 80), 1), {.title = "one"});
  EXPECT_THAT(html, HasSubstr("This is one run"));
  EXPECT_THAT(html, Not(HasSubstr("wins")));
  EXPECT_THAT(html, Not(HasSubstr("<strong>holds</strong>")));
}

TEST(ComparisonPage, SameBytes) {
  EXPECT_EQ(page_of(both_presets(), {.title = "a"}), page_of(both_presets(), {.title = "a"}));
}

}  // namespace
}  // namespace duets::lab
