#include "duets/harness/comparison_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "duets/harness/comparison_test_support.h"

namespace duets::harness {
namespace {

using test::FakeTask;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  for (const char c : line) {
    if (c == ',') {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

Analysis study() { return test::fake_analysis(test::fake_study("paper", 50, 80)); }

TEST(SummaryCsv, HasTheAgreedColumns) {
  const std::vector<std::string> all = lines(summary_csv(study()));
  EXPECT_EQ(all[0],
            "preset,function,algorithm,beta,runs,regret_mean,regret_std,communication_paper,"
            "communication_figure,communication_links,variant,is_best_beta,regret_low,"
            "regret_high");
  ASSERT_EQ(all.size(), 1u + 4 * 20);
  for (const std::string& line : all) EXPECT_EQ(fields(line).size(), 14u) << line;
  EXPECT_THAT(all[1], StartsWith("paper,h1,N-KernelUCB,0.2,5,"));
}

// What is written is what was computed, to the last bit.
TEST(SummaryCsv, NumbersReadBackAsTheSameDoubles) {
  const Analysis a = study();
  const std::vector<std::string> all = lines(summary_csv(a));
  std::size_t row = 1;
  for (const TaskAnalysis& task : a.tasks) {
    for (const ContenderAnalysis& c : task.contenders) {
      const std::vector<std::string> f = fields(all[row++]);
      EXPECT_EQ(std::stod(f[3]), *c.beta);
      EXPECT_EQ(std::stod(f[5]), c.regret.mean);
      EXPECT_EQ(std::stod(f[6]), *c.regret.stddev);
      EXPECT_EQ(std::stod(f[9]), c.communication[2].mean);
      EXPECT_EQ(std::stod(f[12]), c.regret.interval->low);
      EXPECT_EQ(f[11], c.is_best_beta ? "1" : "0");
    }
  }
}

TEST(SummaryCsv, WhatDoesNotExistIsEmpty) {
  const FakeTask task{"my, \"study\"", "h1", {{"Uniform", 1, 50, 0}, {"GP-UCB", 2, 9, 0}}};
  const std::vector<std::string> all = lines(summary_csv(test::fake_analysis({task}, 1)));
  EXPECT_EQ(all[1], "\"my, \"\"study\"\"\",h1,Uniform,,1,50,,,,,,1,,");
  EXPECT_EQ(all[2], "\"my, \"\"study\"\"\",h1,GP-UCB,2,1,9,,,,,,1,,");
}

TEST(CurvesCsv, HasEveryCurveAndTime) {
  const Analysis a = study();
  const std::vector<std::string> all = lines(curves_csv(a));
  ASSERT_EQ(all.size(), 1u + 4 * 20 * 50);
  for (const std::string& line : all) ASSERT_EQ(fields(line).size(), 13u) << line;
  const std::vector<std::string> f = fields(all[50]);  // the last t of the first contender
  const ContenderAnalysis& c = a.tasks[0].contenders[0];
  EXPECT_EQ(f[5], "50");
  EXPECT_EQ(std::stod(f[6]), c.regret_curve.mean.back());
  EXPECT_EQ(std::stod(f[8]), c.regret_curve.low.back());
  EXPECT_EQ(std::stod(f[11]), c.communication_curves[1].mean.back());
}

TEST(DifferencesCsv, HasEveryPairAndMeasure) {
  const std::vector<std::string> all = lines(differences_csv(study()));
  // Four functions, six pairs, four measures.
  ASSERT_EQ(all.size(), 1u + 4 * 6 * 4);
  for (const std::string& line : all) EXPECT_EQ(fields(line).size(), 13u) << line;
  // N-KernelUCB (110) minus DisKernelUCB (80) at their best betas.
  EXPECT_THAT(all[1], StartsWith("paper,h1,regret,N-KernelUCB,1,DisKernelUCB,1,5,30"));
  EXPECT_TRUE(all[1].ends_with(",higher"));
  EXPECT_EQ(all[2],
            "paper,h1,communication_paper,N-KernelUCB,1,DisKernelUCB,1,5,-1000,0,-1000,"
            "-1000,lower");
}

TEST(SummaryText, ShowsBestBetaWinnerAndEdges) {
  const std::string text = summary_text(study());
  EXPECT_THAT(text, HasSubstr("* DUETS"));
  EXPECT_THAT(text, HasSubstr("Hartmann-4D"));
  EXPECT_THAT(text, HasSubstr("DUETS wins"));
  EXPECT_THAT(text, HasSubstr("chosen in hindsight"));
  EXPECT_THAT(text, Not(HasSubstr("a wider grid")));
  const FakeTask edge{"p", "f", {{"DUETS", 0.2, 50}, {"DUETS", 1, 60}, {"GP-UCB", 1, 5}}};
  const std::string at_edge = summary_text(test::fake_analysis({edge}));
  EXPECT_THAT(at_edge, HasSubstr("0.2 <"));
  EXPECT_THAT(at_edge, HasSubstr("a wider grid"));
  EXPECT_THAT(at_edge, Not(HasSubstr("* DUETS")));
}

TEST(SummaryText, SameAnalysisSameBytes) {
  EXPECT_EQ(summary_text(study()), summary_text(study()));
  EXPECT_EQ(curves_csv(study()), curves_csv(study()));
  EXPECT_EQ(differences_csv(study()), differences_csv(study()));
}

}  // namespace
}  // namespace duets::harness
