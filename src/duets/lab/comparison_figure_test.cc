#include "duets/lab/comparison_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/lab/comparison_test_support.h"

namespace duets::lab {
namespace {

using test::fake_analysis;
using test::fake_study;
using ::testing::HasSubstr;

std::size_t count_in_figure(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

// With the options of the first preset.
std::string figure_of(const Analysis& analysis) {
  const std::string preset = analysis.presets().front();
  return comparison_figure(analysis, preset, figure_options(preset));
}

TEST(ComparisonFigure, HasThreeRowsOfTheFunctionsAndOneLegend) {
  const std::string svg = figure_of(fake_analysis(fake_study("paper", 50, 80)));
  EXPECT_EQ(count_in_figure(svg, ">cumulative regret</text>"), 4u);
  EXPECT_EQ(count_in_figure(svg, ">reals sent (paper ledger)</text>"), 4u);
  EXPECT_EQ(count_in_figure(svg, ">reals sent (figure ledger)</text>"), 4u);
  EXPECT_THAT(svg, HasSubstr("end values of the published curves"));
  EXPECT_EQ(count_in_figure(svg, ">Hartmann-4D</text>"), 1u);
  EXPECT_EQ(count_in_figure(svg, ">ApproxDisKernelUCB</text>"), 1u);
  EXPECT_EQ(count_in_figure(svg, ">dashed: plain ask and tell; 0: N-KernelUCB</text>"), 8u);
  EXPECT_THAT(svg, HasSubstr("points read off the published figure"));
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

// Best betas (1 in the made-up study) or those of the published curves.
TEST(ComparisonFigure, ShowsTheBetasOfThePreset) {
  const std::string paper = figure_of(fake_analysis(fake_study("paper", 50, 80)));
  EXPECT_EQ(count_in_figure(paper, "order of the legend: 1, 1, 1, 1"), 4u);
  const std::string plotted = figure_of(fake_analysis(fake_study("as-plotted", 50, 80)));
  EXPECT_EQ(count_in_figure(plotted, "order of the legend: 5, 5, 5, 0.2"), 4u);
}

TEST(ComparisonFigure, OwnStudyHasOneColumnAndNoPublishedPoints) {
  auto study = fake_study("a <b>", 50, 80);
  study.resize(1);
  const std::string svg = figure_of(fake_analysis(study));
  EXPECT_EQ(count_in_figure(svg, ">cumulative regret</text>"), 1u);
  EXPECT_EQ(svg.find("published"), std::string::npos);
  EXPECT_EQ(svg.find("a <b>"), std::string::npos);
  EXPECT_THAT(svg, HasSubstr("a &lt;b&gt;"));
}

TEST(ComparisonFigure, LogAxisOnlyWhereTotalsAreFarApart) {
  auto study = fake_study("paper", 50, 80);
  const std::string linear = figure_of(fake_analysis(study));
  study[1].fakes[1].reals = study[1].fakes[5].reals = study[1].fakes[9].reals = 1e6;
  const std::string log = figure_of(fake_analysis(study));
  EXPECT_EQ(count_in_figure(linear, ">0</text>"), 24u);  // both axes of twelve panels
  EXPECT_EQ(count_in_figure(log, ">0</text>"), 16u);     // not on the eight log axes
}

TEST(ComparisonFigure, LedgerCanBeChosen) {
  const Analysis a = fake_analysis(fake_study("paper", 50, 80));
  const std::string links = comparison_figure(a, "paper", {.ledgers = {Ledger::kLinks}});
  EXPECT_EQ(count_in_figure(links, ">reals sent (links ledger)</text>"), 4u);
}

// One run: lines, no bands. An oracle has a regret and no communication.
TEST(ComparisonFigure, OneRunAndOracle) {
  std::vector<test::FakeTask> study = {
      {"mine", "f", {{"DUETS", 1, 50, 100}, {"GP-UCB", 1, 20, 0}, {"Uniform", 1, 300, 0}}}};
  const std::string svg = figure_of(fake_analysis(study, 1));
  EXPECT_EQ(svg.find("standard deviation on either side</text>"), std::string::npos);
  EXPECT_THAT(svg, HasSubstr("one run"));
  EXPECT_EQ(svg.find("0: "), std::string::npos) << "GP-UCB sends nothing because it is central";
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

// The bytes are those of the numbers: nothing of figures that were drawn before is left in them,
// and another number is another figure.
TEST(ComparisonFigure, BytesFollowTheNumbersOnly) {
  const auto figure = [](double duets) {
    return comparison_figure(fake_analysis(fake_study("paper", duets, 80)), "paper", {});
  };
  const std::string first = figure(50);
  EXPECT_NE(figure(60), first);
  EXPECT_EQ(figure(50), first);
}

TEST(ComparisonFigure, NoTasksAreSaid) {
  const Analysis a = fake_analysis(fake_study("paper", 50, 80));
  EXPECT_THAT(comparison_figure(a, "none", {}), HasSubstr("Nothing was run."));
}

}  // namespace
}  // namespace duets::lab
