#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "duets/lab/comparison_findings.h"
#include "duets/lab/comparison_test_support.h"
#include "duets/lab/tables_test_support.h"

namespace duets::lab {
namespace {

using report::CsvCells;
using report::CsvTable;
using test::FakeTask;
using test::finite;
using ::testing::HasSubstr;

Analysis study() { return test::fake_analysis(test::fake_study("paper", 50, 80)); }

std::string csv_of(std::string_view table, const Analysis& analysis) {
  return to_csv(comparison_findings(analysis, {}).table(table));
}

std::string text_of(const Analysis& analysis) {
  return report::to_text(comparison_findings(analysis, {}).summary);
}

// An oracle's reals are left out of the tables.
std::optional<double> reals(const ContenderAnalysis& c, double value) {
  return c.counts_communication() ? std::optional(value) : std::nullopt;
}

CsvCells summary_cells(const TaskAnalysis& task, const ContenderAnalysis& c) {
  return {{"preset", task.preset},
          {"function", task.function},
          {"algorithm", c.algorithm},
          {"beta", c.beta},
          {"runs", c.regret.runs},
          {"regret_mean", c.regret.mean},
          {"regret_std", c.regret.stddev},
          {"communication_paper", reals(c, c.communication[0].mean)},
          {"communication_figure", reals(c, c.communication[1].mean)},
          {"communication_links", reals(c, c.communication[2].mean)},
          {"communication_indices", reals(c, c.communication[3].mean)},
          {"communication_literal", reals(c, c.communication[4].mean)},
          {"rounds", reals(c, c.rounds)},
          {"variant", c.variant},
          {"chosen", c.chosen ? "1" : "0"},
          {"regret_low", test::low_of(c.regret.interval)},
          {"regret_high", test::high_of(c.regret.interval)},
          {"recommendation_regret_mean", c.recommendation.regret.mean},
          {"recommendation_regret_std", c.recommendation.regret.stddev},
          {"recommendation_regret_low", test::low_of(c.recommendation.regret.interval)},
          {"recommendation_regret_high", test::high_of(c.recommendation.regret.interval)},
          {"lost", c.recommendation.lost}};
}

// What is written is what was computed, to the last bit, under the documented columns.
TEST(SummaryCsv, ReadsBackByColumn) {
  const Analysis a = study();
  const CsvTable table(csv_of("summary", a));
  ASSERT_EQ(table.num_rows(), 4U * 20);
  std::size_t row = 0;
  for (const TaskAnalysis& task : a.tasks) {
    for (const ContenderAnalysis& c : task.contenders) {
      EXPECT_EQ(table.difference(row++, summary_cells(task, c)), "");
    }
  }
  EXPECT_EQ(row, table.num_rows());
}

TEST(SummaryCsv, WhatDoesNotExistIsEmpty) {
  const FakeTask task{"my, \"study\"", "h1", {{"Uniform", 1, 50, 0}, {"GP-UCB", 2, 9, 0}}};
  const std::string text = csv_of("summary", test::fake_analysis({task}, 1));
  EXPECT_THAT(text, HasSubstr("\n\"my, \"\"study\"\"\",h1,Uniform,,1,50,,,,,,,,,1,,,0.5,,,,1\n"));
  EXPECT_THAT(text, HasSubstr("\n\"my, \"\"study\"\"\",h1,GP-UCB,2,1,9,,,,,,,,,1,,,0.09,,,,0\n"));
}

CsvCells curve_cells(const TaskAnalysis& task, const ContenderAnalysis& c, std::size_t i) {
  return {{"preset", task.preset},
          {"function", task.function},
          {"algorithm", c.algorithm},
          {"variant", c.variant},
          {"beta", c.beta},
          {"t", c.t[i]},
          {"regret_mean", c.regret_curve.mean[i]},
          {"regret_std", finite(c.regret_curve.stddev[i])},
          {"regret_low", finite(c.regret_curve.low[i])},
          {"regret_high", finite(c.regret_curve.high[i])},
          {"communication_paper", reals(c, c.communication_curves[0].mean[i])},
          {"communication_figure", reals(c, c.communication_curves[1].mean[i])},
          {"communication_links", reals(c, c.communication_curves[2].mean[i])},
          {"communication_indices", reals(c, c.communication_curves[3].mean[i])},
          {"communication_literal", reals(c, c.communication_curves[4].mean[i])}};
}

TEST(CurvesCsv, ReadsBackByColumn) {
  const Analysis a = study();
  const CsvTable table(csv_of("curves", a));
  ASSERT_EQ(table.num_rows(), 4U * 20 * 50);
  std::size_t row = 0;
  for (const TaskAnalysis& task : a.tasks) {
    for (const ContenderAnalysis& c : task.contenders) {
      for (std::size_t i = 0; i < c.t.size(); ++i) {
        ASSERT_EQ(table.difference(row++, curve_cells(task, c, i)), "");
      }
    }
  }
  EXPECT_EQ(row, table.num_rows());
}

CsvCells difference_cells(const TaskAnalysis& task, const Comparison& c, const std::string& measure,
                          const PairedDifference& d) {
  return {{"preset", task.preset},
          {"function", task.function},
          {"measure", measure},
          {"first", task.contenders[c.first].label()},
          {"first_beta", task.contenders[c.first].beta},
          {"second", task.contenders[c.second].label()},
          {"second_beta", task.contenders[c.second].beta},
          {"runs", d.runs},
          {"mean", d.mean},
          {"std", d.stddev},
          {"low", test::low_of(d.interval)},
          {"high", test::high_of(d.interval)},
          {"verdict", base::name_of(d.order)}};
}

// Four functions, six pairs, regret, recommendation and five ledgers.
TEST(DifferencesCsv, ReadsBackByColumn) {
  const Analysis a = study();
  const CsvTable table(csv_of("differences", a));
  ASSERT_EQ(table.num_rows(), 4U * 6 * 7);
  std::size_t row = 0;
  for (const TaskAnalysis& task : a.tasks) {
    for (const Comparison& c : task.comparisons) {
      EXPECT_EQ(table.difference(row++, difference_cells(task, c, "regret", c.regret)), "");
      EXPECT_EQ(table.difference(
                    row++, difference_cells(task, c, "recommendation_regret", c.recommendation)),
                "");
      for (std::size_t l = 0; l < kNumLedgers; ++l) {
        const std::string measure =
            std::array{"communication_paper", "communication_figure", "communication_links",
                       "communication_indices", "communication_literal"}[l];
        EXPECT_EQ(table.difference(row++, difference_cells(task, c, measure, c.communication[l])),
                  "");
      }
    }
  }
  EXPECT_EQ(row, table.num_rows());
}

// N-KernelUCB (110) minus DisKernelUCB (80) at their best betas; it sends nothing.
TEST(DifferencesCsv, ByHand) {
  const std::string text = csv_of("differences", study());
  EXPECT_THAT(text, HasSubstr("\npaper,h1,regret,N-KernelUCB,1,DisKernelUCB,1,5,30,"));
  EXPECT_THAT(text, HasSubstr("\npaper,h1,communication_paper,N-KernelUCB,1,DisKernelUCB,1,5,"
                              "-1000,0,-1000,-1000,lower\n"));
}

TEST(SummaryText, ShowsBestBetaWinnerAndEdges) {
  const std::string text = text_of(study());
  EXPECT_THAT(text, HasSubstr("DUETS \xE2\x80\x94 winner"));
  EXPECT_THAT(text, HasSubstr("Hartmann-4D"));
  EXPECT_THAT(text, HasSubstr("DUETS wins"));
  EXPECT_THAT(text, HasSubstr("chosen in hindsight"));
  EXPECT_THAT(text, Not(HasSubstr("a wider grid")));
  const FakeTask edge{"p", "f", {{"DUETS", 0.2, 50}, {"DUETS", 1, 60}, {"GP-UCB", 1, 5}}};
  const std::string at_edge = text_of(test::fake_analysis({edge}));
  EXPECT_THAT(at_edge, HasSubstr("0.2 (edge)"));
  EXPECT_THAT(at_edge, HasSubstr("a wider grid"));
  EXPECT_THAT(at_edge, Not(HasSubstr("DUETS \xE2\x80\x94 winner")));
}

// A hundredth of the regret, and lost above 0.3.
TEST(SummaryText, ShowsWhatIsRecommended) {
  const FakeTask task{"p", "f", {{"DUETS", 1, 20, 9, 0}, {"Uniform", 1, 50, 0, 0}}};
  const std::string text = text_of(test::fake_analysis({task}));
  EXPECT_THAT(text, HasSubstr("recommendation regret"));
  EXPECT_THAT(text, HasSubstr("0.2 (0.2 to 0.2)"));
  EXPECT_THAT(text, HasSubstr("100 %"));
}

// What one analysis says depends on nothing but the numbers in it.
TEST(SummaryText, ChangesWithTheNumbers) {
  const Analysis other = test::fake_analysis(test::fake_study("paper", 51, 80));
  EXPECT_EQ(text_of(study()), text_of(study()));
  EXPECT_NE(text_of(study()), text_of(other));
}

}  // namespace
}  // namespace duets::lab
