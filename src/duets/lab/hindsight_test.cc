#include "duets/lab/hindsight.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"

namespace duets::lab {
namespace {

Contender of(const std::string& algorithm, double beta, double threshold = 0) {
  Contender out{.algorithm = algorithm, .beta = beta, .variant = {}, .run = {}};
  if (threshold == 0) return out;
  out.variant = "D = " + std::to_string(threshold);
  out.grid = algorithm;
  out.tuned = {{"D", threshold}};
  return out;
}

Curves ending(double regret) {
  return {.t = {1},
          .regret = {regret},
          .paper = {0},
          .figure = {0},
          .links = {0},
          .indices = {0},
          .literal = {0}};
}

// Two of "a" and one of "b"; shown with three seeds.
Experiment three() {
  Experiment experiment;
  experiment.seeds = {7, 8, 9};
  experiment.tasks.push_back({.preset = "p",
                              .function = "f",
                              .make = {},
                              .contenders = {of("a", 1), of("b", 1), of("a", 0.5)}});
  return experiment;
}

TEST(Hindsight, OnlyWhatHasAChoiceRunsWithSelectionSeeds) {
  Experiment experiment = three();
  experiment.tasks.push_back(
      {.preset = "p", .function = "g", .make = {}, .contenders = {of("a", 1), of("b", 1)}});
  add_selection(experiment);
  ASSERT_EQ(experiment.tasks.size(), 3u);
  EXPECT_EQ(num_shown(experiment), 2u);
  const Task& chooser = experiment.tasks[2];
  EXPECT_EQ(chooser.selects_for, 0u);
  EXPECT_EQ(chooser.preset, "p-selection");
  ASSERT_EQ(chooser.contenders.size(), 2u);
  EXPECT_EQ(chooser.contenders[1].beta, 0.5);
  EXPECT_EQ(experiment.selection_seeds,
            (std::vector<std::uint64_t>{1'000'007, 1'000'008, 1'000'009}));
  EXPECT_EQ(seeds_of(experiment, chooser).front(), 1'000'007u);
  EXPECT_EQ(seeds_of(experiment, experiment.tasks[0]).front(), 7u);
  EXPECT_EQ(num_runs(experiment), 3u * 3 + 3u * 2 + 3u * 2);
}

TEST(Hindsight, WithoutAChoiceNothingIsAdded) {
  Experiment experiment = three();
  experiment.tasks[0].contenders.pop_back();
  add_selection(experiment);
  EXPECT_EQ(experiment.tasks.size(), 1u);
  EXPECT_TRUE(experiment.selection_seeds.empty());
  const auto grids = grids_of(experiment, {.units = {{{}}}}, 0);
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(grids[1].chosen, 1u);
}

TEST(Hindsight, SeedsThatChooseAreNeverShown) {
  Experiment many = three();
  many.seeds = seeds_from(1, 1000);
  add_selection(many);
  EXPECT_EQ(many.selection_seeds.size(), kMaxSelectionRuns);
  EXPECT_GT(many.selection_seeds.front(), many.seeds.back());
  Experiment too_many = three();
  too_many.seeds = seeds_from(1, kSelectionDistance + 1);
  EXPECT_THROW(add_selection(too_many), base::Error);
}

// Shown runs would choose the other one.
TEST(Hindsight, TheSelectionSeedsChoose) {
  Experiment experiment = three();
  add_selection(experiment);
  ExperimentResult result;
  result.units = {{{ending(1), ending(5), ending(9)}}, {{ending(4), ending(3)}}};
  const auto grids = grids_of(experiment, result, 0);
  ASSERT_EQ(grids.size(), 2u);
  EXPECT_EQ(grids[0].contenders, (std::vector<std::size_t>{2, 0})) << "in increasing beta";
  EXPECT_EQ(grids[0].chosen, 2u);
  EXPECT_EQ(edge_text(grids[0]), "edge");
  EXPECT_EQ(edge_text(grids[1]), "");
  result.units[1] = {{ending(4), ending(4)}};
  EXPECT_EQ(grids_of(experiment, result, 0)[0].chosen, 2u) << "of equal ones the smaller beta";
  EXPECT_EQ(edge_text(grids_of(experiment, result, 0)[0]), "") << "beta makes no difference";
  result.units.pop_back();
  EXPECT_THROW(grids_of(experiment, result, 0), base::Error) << "the runs that choose are missing";
}

TEST(Hindsight, EdgesAreFoundInEverySetting) {
  Experiment experiment;
  experiment.seeds = {1};
  Task task{.preset = "p", .function = "f", .make = {}, .contenders = {}};
  for (const double threshold : {1.0, 2.0, 3.0}) {
    for (const double beta : {0.1, 0.2}) task.contenders.push_back(of("a", beta, threshold));
  }
  experiment.tasks.push_back(task);
  add_selection(experiment);
  const auto edges = [&](std::size_t best) {
    Unit unit(6, ending(10));
    unit[best] = ending(1);
    const Grid grid = grids_of(experiment, {.units = {{}, {unit}}}, 0).front();
    EXPECT_EQ(grid.chosen, best);
    return edge_text(grid);
  };
  EXPECT_EQ(edges(0), "edge: D, beta");
  EXPECT_EQ(edges(3), "edge");
  EXPECT_EQ(edges(5), "edge: D, beta");
}

}  // namespace
}  // namespace duets::lab
