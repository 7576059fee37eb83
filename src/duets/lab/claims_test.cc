#include "duets/lab/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "duets/lab/comparison_sections.h"
#include "duets/lab/comparison_test_support.h"

namespace duets::lab {
namespace {

using test::fake_analysis;
using test::fake_study;
using ::testing::HasSubstr;

RivalFinding finding(Order order) {
  RivalFinding out{.rival = "DisKernelUCB"};
  out.difference.order = order;
  return out;
}

FunctionVerdict on(Verdict verdict) { return {.function = "h1", .verdict = verdict}; }

TEST(Judge, HoldsOnlyWhenLowerThanEveryRival) {
  EXPECT_EQ(judge({finding(Order::kLower), finding(Order::kLower)}), Verdict::kHolds);
  EXPECT_EQ(judge({finding(Order::kLower), finding(Order::kUndecided)}), Verdict::kUndecided);
  EXPECT_EQ(judge({finding(Order::kUndecided), finding(Order::kHigher)}), Verdict::kFails);
  EXPECT_EQ(judge({finding(Order::kHigher), finding(Order::kLower)}), Verdict::kFails);
  EXPECT_EQ(judge({}), Verdict::kUndecided);
}

TEST(Judge, OverallNeedsEveryFunction) {
  EXPECT_EQ(judge_overall({on(Verdict::kHolds), on(Verdict::kHolds)}, true), Verdict::kHolds);
  EXPECT_EQ(judge_overall({on(Verdict::kHolds), on(Verdict::kHolds)}, false), Verdict::kUndecided);
  EXPECT_EQ(judge_overall({on(Verdict::kHolds), on(Verdict::kUndecided)}, true),
            Verdict::kUndecided);
  EXPECT_EQ(judge_overall({on(Verdict::kUndecided), on(Verdict::kFails)}, false), Verdict::kFails);
  EXPECT_EQ(judge_overall({}, true), Verdict::kUndecided);
}

const ClaimVerdict& find(const std::vector<ClaimVerdict>& all, Claim claim, Ledger ledger,
                         bool plotted = false) {
  for (const ClaimVerdict& c : all) {
    if (c.claim == claim && c.plotted_betas == plotted &&
        (claim == Claim::kRegret || c.ledger == ledger)) {
      return c;
    }
  }
  throw std::logic_error("no such claim");
}

const ClaimVerdict& regret(const std::vector<ClaimVerdict>& all, bool plotted = false) {
  return find(all, Claim::kRegret, Ledger::kPaper, plotted);
}

TEST(Claims, RegretHoldsFailsOrStaysOpen) {
  const auto holds = judge_claims(fake_analysis(fake_study("paper", 50, 80)));
  EXPECT_EQ(regret(holds).overall, Verdict::kHolds);
  ASSERT_EQ(regret(holds).functions.size(), 4u);
  EXPECT_EQ(regret(holds).functions[0].rivals.size(), 3u);
  EXPECT_THAT(regret(holds).functions[0].text, HasSubstr("DUETS at beta 1 (50 "));

  const auto fails = judge_claims(fake_analysis(fake_study("paper", 80, 50)));
  EXPECT_EQ(regret(fails).overall, Verdict::kFails);

  auto close = fake_study("paper", 80, 80.1);
  for (auto& task : close) {
    for (auto& fake : task.fakes) fake.scatter = 15;
  }
  EXPECT_EQ(regret(judge_claims(fake_analysis(close))).overall, Verdict::kUndecided);
}

// One function on which a rival is better turns the claim over; the text says which.
TEST(Claims, OneFunctionDecides) {
  auto study = fake_study("paper", 50, 80);
  for (auto& fake : study[2].fakes) {
    if (fake.algorithm == "DisKernelUCB") fake.regret = 20;
  }
  const ClaimVerdict claim = regret(judge_claims(fake_analysis(study)));
  EXPECT_EQ(claim.overall, Verdict::kFails);
  EXPECT_EQ(claim.functions[2].verdict, Verdict::kFails);
  EXPECT_THAT(claim.text, HasSubstr("holds on h1, h2 and Hartmann-4D; does not hold on Branin"));
}

std::string text_of(const std::vector<ClaimVerdict>& claims) {
  return report::to_text({claims_section(claims, false)});
}

// What sends nothing is named as it is, whoever it is.
TEST(Claims, SilentRivalsAreNamed) {
  auto study = fake_study("paper", 50, 80);
  for (auto& fake : study[0].fakes) {
    if (fake.algorithm == "DisKernelUCB") fake.reals = 0;
  }
  const auto all = judge_claims(fake_analysis(study));
  EXPECT_THAT(text_of(all), HasSubstr("DisKernelUCB and N-KernelUCB send nothing"));
}

TEST(Claims, OneRunDecidesNothing) {
  const auto all = judge_claims(fake_analysis(fake_study("paper", 50, 80), 1));
  ASSERT_EQ(all.size(), 1 + kNumLedgers);  // regret, and communication in each ledger
  for (const ClaimVerdict& c : all) {
    EXPECT_EQ(c.overall, Verdict::kUndecided);
    ASSERT_EQ(c.functions.size(), 4u);
    for (const FunctionVerdict& f : c.functions) EXPECT_EQ(f.verdict, Verdict::kUndecided);
  }
}

TEST(Claims, MissingFunctionOrAlgorithmCannotHold) {
  auto study = fake_study("paper", 50, 80);
  study.pop_back();
  const auto three = judge_claims(fake_analysis(study));
  EXPECT_EQ(regret(three).overall, Verdict::kUndecided);
  EXPECT_THAT(regret(three).text, HasSubstr("Not every function"));
  study = fake_study("paper", 50, 80);
  std::erase_if(study[0].fakes, [](const auto& f) { return f.algorithm == "N-KernelUCB"; });
  EXPECT_EQ(regret(judge_claims(fake_analysis(study))).overall, Verdict::kUndecided);
}

TEST(Claims, CommunicationIsJudgedInEachLedgerAmongThoseWhoSend) {
  const auto all = judge_claims(fake_analysis(fake_study("paper", 50, 80)));
  ASSERT_EQ(all.size(), 1 + kNumLedgers);
  for (const Ledger ledger : kLedgers) {
    const ClaimVerdict& c = find(all, Claim::kCommunication, ledger);
    EXPECT_EQ(c.overall, Verdict::kHolds);
    EXPECT_EQ(c.functions[0].silent, std::vector<std::string>{"N-KernelUCB"});
    EXPECT_EQ(c.functions[0].rivals.size(), 2u);
    EXPECT_THAT(c.text, HasSubstr("N-KernelUCB sends nothing at all"));
    EXPECT_THAT(c.functions[0].text, HasSubstr("N-KernelUCB sends nothing"));
  }
}

TEST(Claims, CommunicationFailsWhereARivalSendsLess) {
  auto study = fake_study("paper", 50, 80);
  for (auto& fake : study[1].fakes) {
    if (fake.algorithm == "DUETS") fake.reals = 9000;
  }
  const auto all = judge_claims(fake_analysis(study));
  const ClaimVerdict& c = find(all, Claim::kCommunication, Ledger::kLinks);
  EXPECT_EQ(c.overall, Verdict::kFails);
  EXPECT_EQ(c.functions[1].verdict, Verdict::kFails);
  EXPECT_EQ(c.functions[0].verdict, Verdict::kHolds);
}

// As plotted: at the best betas a rival wins, at the plotted ones DUETS does.
TEST(Claims, PlottedBetasAreJudgedApart) {
  auto study = fake_study("as-plotted", 50, 30);
  for (auto& task : study) {
    for (auto& fake : task.fakes) {
      if (fake.algorithm != "DUETS" && fake.beta == 5) fake.regret = 200;
    }
  }
  const auto all = judge_claims(fake_analysis(study));
  ASSERT_EQ(all.size(), 2 * (1 + kNumLedgers));
  EXPECT_EQ(regret(all, false).overall, Verdict::kFails);
  EXPECT_EQ(regret(all, true).overall, Verdict::kHolds);
  EXPECT_THAT(regret(all, true).functions[0].text, HasSubstr("DUETS at beta 0.2"));
  EXPECT_THAT(text_of(all),
              ::testing::ContainsRegex("as-plotted preset, betas of the published curves +holds"));
}

TEST(Claims, OwnStudiesHaveNone) {
  EXPECT_TRUE(judge_claims(fake_analysis(fake_study("mine", 50, 80))).empty());
}

// A claim about best betas needs the printed grid: a single beta may favour anybody.
TEST(Claims, FewerBetasThanPrintedJudgeNothing) {
  auto study = fake_study("paper", 80, 50);
  for (auto& task : study) {
    std::erase_if(task.fakes, [](const auto& f) { return f.algorithm == "DUETS" && f.beta == 2; });
  }
  EXPECT_TRUE(judge_claims(fake_analysis(study)).empty());
}

// The table of differences and the claims say the same about one pair: N-KernelUCB's silence must
// not narrow the intervals of the rivals that send.
TEST(Claims, OnePairHasOneInterval) {
  Analysis analysis = fake_analysis(fake_study("paper", 50, 80));
  constexpr auto kFigure = static_cast<std::size_t>(Ledger::kFigure);
  for (TaskAnalysis& task : analysis.tasks) {
    for (std::size_t c = 0; c < task.contenders.size(); ++c) {
      if (task.contenders[c].algorithm == "N-KernelUCB") continue;
      auto& sent = task.contenders[c].final_communication[kFigure];
      for (std::size_t s = 0; s < sent.size(); ++s) sent[s] += static_cast<double>((c + 1) * s * s);
    }
  }
  const TaskAnalysis& task = analysis.tasks[0];
  const auto values = [&](const char* name) {
    return task.chosen_of(name)->final_communication[kFigure];
  };
  const auto all = judge_claims(analysis);
  const FunctionVerdict& claimed = find(all, Claim::kCommunication, Ledger::kFigure).functions[0];
  ASSERT_EQ(claimed.rivals[0].rival, "DisKernelUCB");
  const PairedDifference expected = paired_difference(values("DUETS"), values("DisKernelUCB"), 3);
  EXPECT_DOUBLE_EQ(claimed.rivals[0].difference.interval->low, expected.interval->low);
  EXPECT_DOUBLE_EQ(claimed.rivals[0].difference.interval->high, expected.interval->high);
}

// Algorithms that the paper does not have take no part in its claims.
TEST(Claims, OtherAlgorithmsDoNotCount) {
  auto study = fake_study("paper", 50, 80);
  for (auto& task : study) task.fakes.push_back({"REDS", 1, 10, 10});
  EXPECT_EQ(regret(judge_claims(fake_analysis(study))).overall, Verdict::kHolds);
}

}  // namespace
}  // namespace duets::lab
