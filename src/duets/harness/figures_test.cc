#include "duets/harness/figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "duets/harness/figures_test_support.h"

namespace duets::harness {
namespace {

using figure_testing::edge_cases;
using figure_testing::sample_run;

std::vector<report::NamedFigure> every_figure(const RunResult& run) {
  return {{"regret", regret_figure(run)},
          {"communication", communication_figure(run)},
          {"region", region_figure(run)},
          {"inducing", inducing_figure(run)},
          {"map", map_figure(run)}};
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Figures, OfAnyRunAreWellFormedWithFiniteNumbers) {
  std::vector<figure_testing::EdgeCase> cases = edge_cases();
  cases.push_back({"sample", sample_run()});
  std::size_t num_figures = 0;
  for (const auto& [name, run] : cases) {
    for (const auto& [figure, svg] : every_figure(run)) {
      ++num_figures;
      EXPECT_EQ(report::markup_testing::XmlCheck(svg).problem(), std::nullopt)
          << name << ", " << figure;
      EXPECT_FALSE(report::markup_testing::has_non_number(svg)) << name << ", " << figure;
    }
  }
  EXPECT_GT(num_figures, cases.size());
}

TEST(Figures, SameRunSameBytes) { EXPECT_EQ(all_figures(sample_run()), all_figures(sample_run())); }

TEST(Figures, OnlyThoseWithDataAreMade) {
  std::vector<std::string> names;
  for (const auto& [name, svg] : all_figures(sample_run())) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"regret.svg", "communication.svg", "region.svg",
                                             "inducing.svg", "map.svg"}));
  EXPECT_TRUE(all_figures(RunResult{}).empty());
}

TEST(Figures, UserNamesAreEscaped) {
  RunResult run = sample_run();
  run.study_name = "<script>alert('1')</script> & \"x\"";
  run.coordinate_names = {"a<b", "</text>"};
  const std::vector<report::NamedFigure> figures = all_figures(run);
  ASSERT_EQ(figures.size(), 5u);
  for (const auto& [name, svg] : figures) {
    EXPECT_EQ(report::markup_testing::XmlCheck(svg).problem(), std::nullopt) << name;
    EXPECT_EQ(svg.find("<script"), std::string::npos) << name;
    EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos) << name;
  }
}

TEST(Figures, EpochsAreRangesUpToTheHorizon) {
  RunResult run = sample_run();
  run.lengths = {2, 4, 100};
  const std::vector<report::Stretch> epochs = epoch_stretches(run);
  ASSERT_EQ(epochs.size(), 3u);
  EXPECT_EQ(epochs[1].from, 2);
  EXPECT_EQ(epochs[1].to, 6);
  EXPECT_EQ(epochs[2].to, 12);
}

TEST(Figures, LedgersFarApartGetALogAxis) {
  RunResult run = sample_run();
  EXPECT_NE(communication_figure(run).find(">0</text>"), std::string::npos) << "linear, from 0";
  for (auto& p : run.communication) p.links = 1000 * p.paper;
  const std::string far = communication_figure(run);
  const std::string left_panel = far.substr(0, far.find("Bytes on all links"));
  EXPECT_NE(left_panel.find(">10,000<"), std::string::npos);
  EXPECT_EQ(left_panel.find(">50,000<"), std::string::npos)
      << "no tick of a linear axis to 146,000";
}

TEST(Figures, ClosingMessagesAreANote) {
  EXPECT_NE(communication_figure(sample_run()).find("Closing messages, in none of the curves: 30"),
            std::string::npos);
}

TEST(Figures, ManyPointsAreThinnedWithANote) {
  RunResult run = sample_run();
  Picture& picture = *run.picture;
  picture.point_x.assign(100000, 0.25);
  picture.point_y.assign(100000, 0.75);
  picture.point_epoch.assign(100000, 2);
  std::fill_n(picture.point_epoch.begin(), 50000, 1);
  const std::string svg = map_figure(run);
  EXPECT_EQ(count_of(svg, "h0"), 5000u);
  EXPECT_NE(svg.find("5,000 of 100,000 points"), std::string::npos);
  EXPECT_LT(svg.size(), 200000u);
  EXPECT_NE(svg.find(">epoch 1<"), std::string::npos);
  EXPECT_NE(svg.find(">epoch 2<"), std::string::npos) << "chosen from all of them";
}

TEST(Figures, MapDrawsOneBoundaryForEachCutAndOneDotForEachPoint) {
  const std::string svg = map_figure(sample_run());
  // The two nested circles of the sample, each with a casing and in the legend by name.
  EXPECT_EQ(count_of(svg, "after epoch"), 2u);
  EXPECT_EQ(count_of(svg, "h0"), 240u) << "120 points, each with its dark edge";
  EXPECT_EQ(count_of(svg, "<image"), 3u) << "mean, nested regions, truth";
}

TEST(Figures, MapWithGridsOfTheWrongSizeIsNotDrawn) {
  RunResult run = sample_run();
  run.picture->margin[1].pop_back();
  EXPECT_FALSE(has_map(run));
  EXPECT_EQ(map_figure(run).find("<image"), std::string::npos);
}

}  // namespace
}  // namespace duets::harness
