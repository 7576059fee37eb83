#include "duets/harness/report_page.h"

#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <set>
#include <string>

#include "duets/harness/figures_test_support.h"

namespace duets::harness {
namespace {

using figure_testing::sample_run;

std::string report_of(const RunResult& run) { return report_html(run, all_figures(run)); }

bool holds(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

TEST(ReportPage, OfAnyRunIsWellFormedWithFiniteNumbers) {
  std::vector<figure_testing::EdgeCase> cases = figure_testing::edge_cases();
  cases.push_back({"sample", sample_run()});
  for (const auto& [name, run] : cases) {
    const std::string html = report_of(run);
    EXPECT_EQ(report::markup_testing::XmlCheck(html).problem(), std::nullopt) << name;
    EXPECT_FALSE(report::markup_testing::has_non_number(html)) << name;
  }
}

TEST(ReportPage, SameRunSameBytes) { EXPECT_EQ(report_of(sample_run()), report_of(sample_run())); }

TEST(ReportPage, LoadsNothingAndRunsNothing) {
  const std::string html = report_of(sample_run());
  for (const char* forbidden : {"<script", "<link", "<iframe", "@import", "src=", "onload"}) {
    EXPECT_FALSE(holds(html, forbidden)) << forbidden;
  }
  // The only address is the SVG namespace, and pictures are embedded.
  const std::string rest =
      std::regex_replace(html, std::regex("xmlns=\"http://www.w3.org/2000/svg\""), "");
  EXPECT_FALSE(holds(rest, "http"));
}

TEST(ReportPage, IdentifiersAreUniqueAcrossTheFigures) {
  const std::string html = report_of(sample_run());
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]*)\"");
  for (std::sregex_iterator it(html.begin(), html.end(), id), end; it != end; ++it) {
    EXPECT_TRUE(ids.insert((*it)[1]).second) << (*it)[1];
  }
  EXPECT_GT(ids.size(), 10u);
}

TEST(ReportPage, UserTextsAreEscaped) {
  RunResult run = sample_run();
  const std::string evil = "<img onerror=x>&\"'";
  run.study_name = run.objective = run.domain = run.guarantee = run.run_digest = evil;
  run.coordinate_names = {evil, evil};
  run.study_digest = run.state_digest = evil;
  const std::string html = report_of(run);
  EXPECT_FALSE(holds(html, "<img"));
  EXPECT_EQ(report::markup_testing::XmlCheck(html).problem(), std::nullopt);
}

TEST(ReportPage, ShowsRecommendationAndBestTrial) {
  const std::string html = report_of(sample_run());
  EXPECT_TRUE(holds(html, "10 agents \xC3\x97 horizon 12 = 120 queries"));
  EXPECT_TRUE(holds(html, "interval from -0.05 to 0.03"));
  EXPECT_TRUE(holds(html, "-0.001, inside the interval"));
  EXPECT_TRUE(holds(html, "agent 3, epoch 2, slot 1"));
  EXPECT_TRUE(holds(html, "The two are different things."));
  EXPECT_TRUE(holds(html, "None in tuned mode."));
  EXPECT_TRUE(holds(html, "Its interval is twice the deviation."));
  RunResult missed = sample_run();
  missed.recommendation->true_value = 0.5;
  EXPECT_TRUE(holds(report_of(missed), "outside the interval"));
}

TEST(ReportPage, ChoicesHaveNames) {
  RunResult run = sample_run();
  run.parameters = {
      {.name = "x1", .type = domain::ParameterType::kCategorical, .choices = {"adam", "<sgd>"}},
      {.name = "x2"}};
  run.recommendation->values = {1, 0.25};
  EXPECT_TRUE(holds(report_of(run), "x1 = &lt;sgd&gt;, x2 = 0.25"));
  run.recommendation->values = {7, 0.25};
  EXPECT_TRUE(holds(report_of(run), "x1 = 7, x2 = 0.25")) << "no such choice";
}

TEST(ReportPage, IntegersHaveNoFraction) {
  RunResult run = sample_run();
  run.parameters = {{.name = "x1", .type = domain::ParameterType::kInt, .low = 0, .high = 1e7},
                    {.name = "x2"}};
  run.recommendation->values = {1234567, 0.25};
  EXPECT_TRUE(holds(report_of(run), "x1 = 1234567, x2 = 0.25"));
}

TEST(ReportPage, DirectionDecidesTheWords) {
  RunResult run = sample_run();
  EXPECT_TRUE(holds(report_of(run), "largest value observed"));
  run.direction = "minimize";
  EXPECT_TRUE(holds(report_of(run), "smallest value observed"));
}

TEST(ReportPage, WithoutAClosedEpochThereIsNoRecommendation) {
  RunResult run = sample_run();
  run.epochs.clear();
  run.recommendation.reset();
  const std::string html = report_of(run);
  EXPECT_TRUE(holds(html, "<p class=\"value\">none</p>"));
  EXPECT_TRUE(holds(html, "No epoch was closed"));
  EXPECT_FALSE(holds(html, "The two are different things."));
}

TEST(ReportPage, MarginIsComparedWithTheError) {
  RunResult run = sample_run();
  EXPECT_TRUE(holds(report_of(run), "would have taken the same decisions"));
  run.mean_error = 1;
  EXPECT_TRUE(holds(report_of(run), "might have decided otherwise"));
  run.smallest_margin = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(holds(report_of(run), "No point was compared with a threshold"));
}

TEST(ReportPage, TablesHaveHeadersForScreenReadersAndAllLedgers) {
  const std::string html = report_of(sample_run());
  for (const char* ledger : {"paper", "figure", "links", "closing", "bytes"}) {
    EXPECT_TRUE(holds(html, std::string("<th scope=\"col\">") + ledger + "</th>")) << ledger;
  }
  EXPECT_TRUE(holds(html, "<th scope=\"row\">p before clipping</th>"));
  EXPECT_TRUE(holds(html, "1,460"));
  EXPECT_TRUE(holds(html, "15,500"));
  for (const char* digest : {"00112233445566778899aabbccddeeff", "102132435465768798a9bacbdcedfe0f",
                             "ffeeddccbbaa99887766554433221100"}) {
    EXPECT_TRUE(holds(html, digest));
  }
  EXPECT_TRUE(holds(html, "role=\"img\""));
}

}  // namespace
}  // namespace duets::harness
