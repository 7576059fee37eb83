#include "duets/lab/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "duets/base/error.h"
#include "duets/lab/comparison_test_support.h"
#include "duets/lab/comparison_text.h"

namespace duets::lab {
namespace {

using test::fake_analysis;
using test::FakeTask;
using ::testing::HasSubstr;
using ::testing::StartsWith;

FakeTask two(double first, double second, double scatter) {
  return {"paper",
          "h1",
          {{"DUETS", 1, first, 100, scatter}, {"DisKernelUCB", 1, second, 900, scatter}}};
}

TEST(Analysis, SummarisesEveryContender) {
  const Analysis a = fake_analysis({two(50, 80, 2)});
  const ContenderAnalysis& duets = a.tasks[0].contenders[0];
  EXPECT_NEAR(duets.regret.mean, 50, 1e-12);
  // Offsets -2, -1, 0, 1, 2.
  EXPECT_NEAR(*duets.regret.stddev, std::sqrt(2.5), 1e-12);
  EXPECT_EQ(duets.regret.runs, 5u);
  ASSERT_TRUE(duets.regret.interval);
  EXPECT_LT(duets.regret.interval->low, 50);
  EXPECT_GT(duets.regret.interval->high, 50);
  EXPECT_EQ(duets.communication[0].mean, 20);
  EXPECT_EQ(duets.communication[1].mean, 100);
  EXPECT_EQ(duets.communication[2].mean, 200);
}

TEST(Analysis, CurvesEndAtTheFinalValues) {
  const Analysis a = fake_analysis({two(50, 80, 2)});
  ASSERT_EQ(a.tasks[0].contenders.size(), 2u);
  for (const ContenderAnalysis& c : a.tasks[0].contenders) {
    ASSERT_EQ(c.t.size(), 50u);
    EXPECT_EQ(c.regret_curve.mean.back(), c.regret.mean);
    EXPECT_EQ(c.regret_curve.stddev.back(), *c.regret.stddev);
    EXPECT_EQ(c.regret_curve.low.back(), c.regret.interval->low);
    for (const Ledger ledger : kLedgers) {
      const auto l = static_cast<std::size_t>(ledger);
      EXPECT_EQ(c.communication_curves[l].mean.back(), c.communication[l].mean);
    }
  }
}

// Where beta makes no difference, no edge is near the best.
TEST(Analysis, EqualBetasHaveNoEdge) {
  const FakeTask grid{"paper", "h1", {{"DUETS", 0.2, 50, 0, 0}, {"DUETS", 1, 50, 0, 0}}};
  const TaskAnalysis task = fake_analysis({grid}).tasks[0];
  EXPECT_TRUE(task.grids[0].edges.empty());
}

TEST(Analysis, TheChosenBetaHasTheLowestMeanAndEdgesAreSeen) {
  const FakeTask grid{"paper",
                      "h1",
                      {{"DUETS", 0.2, 70},
                       {"DUETS", 1, 50},
                       {"DUETS", 5, 90},
                       {"DisKernelUCB", 5, 40},
                       {"DisKernelUCB", 0.2, 60},
                       {"N-KernelUCB", 0.2, 60},
                       {"N-KernelUCB", 5, 70}}};
  const TaskAnalysis task = fake_analysis({grid}).tasks[0];
  ASSERT_EQ(task.grids.size(), 3u);
  EXPECT_EQ(task.chosen_of("DUETS")->beta, 1);
  EXPECT_EQ(edge_text(task.grids[0]), "");
  EXPECT_EQ(task.chosen_of("DisKernelUCB")->beta, 5);
  EXPECT_EQ(edge_text(task.grids[1]), "edge");
  EXPECT_EQ(edge_text(task.grids[2]), "edge");
  // In increasing beta, whatever the order of the experiment.
  EXPECT_EQ(task.contenders[task.grids[1].contenders[0]].beta, 0.2);
  EXPECT_EQ(task.find("DUETS", 5)->regret.mean, 90);
  EXPECT_EQ(task.find("DUETS", 2), nullptr);
}

TEST(Analysis, VariantsAreGridsOfTheirOwn) {
  const FakeTask task{"paper", "h1", {{"DUETS", 1, 50}, {"DUETS", 1, 40, 10, 1, "greedy"}}};
  const TaskAnalysis a = fake_analysis({task}).tasks[0];
  ASSERT_EQ(a.grids.size(), 2u);
  EXPECT_EQ(a.grids[1].label, "DUETS (greedy)");
  EXPECT_EQ(a.chosen_of("DUETS")->regret.mean, 50);
}

TEST(Winner, IsNamedWhenEveryDifferenceExcludesZero) {
  const TaskAnalysis a = fake_analysis({two(50, 80, 2)}).tasks[0];
  ASSERT_TRUE(a.winner);
  EXPECT_EQ(a.contenders[*a.winner].algorithm, "DUETS");
  EXPECT_THAT(a.winner_text, StartsWith("DUETS wins"));
  EXPECT_THAT(a.winner_text, HasSubstr("DisKernelUCB (difference -30, interval "));
}

TEST(Winner, IsNotNamedWhenTheRunsScatter) {
  const TaskAnalysis a = fake_analysis({two(79, 80, 20)}).tasks[0];
  EXPECT_FALSE(a.winner);
  EXPECT_THAT(a.winner_text,
              StartsWith("no winner: these cannot be told apart: DUETS and DisKern"));
}

// One rival out of reach is not enough: the second must be told apart as well.
TEST(Winner, MustBeatEveryRival) {
  FakeTask task = two(50, 80, 2);
  task.fakes.push_back({"ApproxDisKernelUCB", 1, 50.5, 100, 8});
  const TaskAnalysis a = fake_analysis({task}).tasks[0];
  EXPECT_FALSE(a.winner);
  EXPECT_THAT(a.winner_text, HasSubstr("DUETS and ApproxDisKernelUCB"));
  EXPECT_THAT(a.winner_text, Not(HasSubstr("DisKernelUCB (difference -30")));
}

TEST(Winner, OracleAndCeilingNeverWin) {
  FakeTask task = two(50, 80, 2);
  task.fakes.push_back({"GP-UCB", 1, 10, 0});
  task.fakes.push_back({"Uniform", 1, 5, 0});
  const TaskAnalysis a = fake_analysis({task}).tasks[0];
  ASSERT_TRUE(a.winner);
  EXPECT_EQ(a.contenders[*a.winner].algorithm, "DUETS");
  EXPECT_EQ(num_rivals(a), 1u);
  EXPECT_EQ(a.comparisons.size(), 1u);
  EXPECT_NEAR(a.comparisons[0].recommendation.mean, a.comparisons[0].regret.mean / 100, 1e-12);
  EXPECT_FALSE(a.contenders[2].counts_communication());
  EXPECT_EQ(communication_text(a.contenders[2], Ledger::kPaper), "\xE2\x80\x93");
  EXPECT_FALSE(a.contenders[3].beta);
}

TEST(Winner, NobodyWinsWithOneRunOrAlone) {
  const TaskAnalysis one = fake_analysis({two(50, 80, 2)}, 1).tasks[0];
  EXPECT_FALSE(one.winner);
  EXPECT_THAT(one.winner_text, HasSubstr("one run cannot tell"));
  EXPECT_FALSE(one.contenders[0].regret.stddev);
  EXPECT_TRUE(std::isnan(one.contenders[0].regret_curve.stddev.back()));
  const TaskAnalysis alone = fake_analysis({{"paper", "h1", {{"DUETS", 1, 50}}}}).tasks[0];
  EXPECT_FALSE(alone.winner);
  EXPECT_THAT(alone.winner_text, HasSubstr("fewer than two"));
}

// Pairing by seed: runs that scatter together are told apart although each scatters widely.
TEST(Winner, PairingRemovesWhatTheSeedsShare) {
  auto fake = test::make_fake({two(79, 80, 0)});
  for (std::size_t s = 0; s < 5; ++s) {
    for (Curves& c : fake.result.units[0][s]) {
      for (double& r : c.regret) r += 30.0 * static_cast<double>(s);
    }
    fake.result.units[0][s][0].regret.back() += 0.1 * static_cast<double>(s);
  }
  const TaskAnalysis a = analyse(fake.experiment, fake.result, test::fake_algorithms()).tasks[0];
  ASSERT_TRUE(a.winner);
  EXPECT_GT(*a.contenders[0].regret.stddev, 40);
}

TEST(Analysis, RefusesWhatIsNotComplete) {
  auto fake = test::make_fake({two(50, 80, 2)});
  const auto algorithms = test::fake_algorithms();
  const auto fails = [&](const ExperimentResult& r) {
    EXPECT_THROW(analyse(fake.experiment, r, algorithms), base::Error);
  };
  ExperimentResult r = fake.result;
  r.stopped = true;
  fails(r);
  r = fake.result;
  r.units[0].pop_back();
  fails(r);
  r = fake.result;
  r.units[0][2].pop_back();
  fails(r);
  r = fake.result;
  r.units[0][2][1].regret.pop_back();
  fails(r);
  r = fake.result;
  r.units[0][2][1].regret.back() = std::nan("");
  fails(r);
}

TEST(Analysis, ListsPresetsInOrder) {
  FakeTask plotted = two(1, 2, 1);
  plotted.preset = "as-plotted";
  const Analysis a = fake_analysis({two(1, 2, 1), plotted, two(3, 4, 1)});
  EXPECT_EQ(a.presets(), (std::vector<std::string>{"paper", "as-plotted"}));
  EXPECT_EQ(a.of_preset("paper").size(), 2u);
}

TEST(ComparisonText, Lists) {
  EXPECT_EQ(list_text({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(list_text({"a"}), "a");
  EXPECT_EQ(seeds_text({1, 2, 3}), "3 runs (seeds 1 to 3)");
  EXPECT_EQ(seeds_text({1, 3}), "2 runs (seeds 1, 3)");
  EXPECT_EQ(seeds_text({9}), "1 run (seed 9)");
}

}  // namespace
}  // namespace duets::lab
