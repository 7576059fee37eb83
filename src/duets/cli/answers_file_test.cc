#include "duets/cli/answers_file.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"
#include "duets/cli/study_file.h"

namespace duets::cli {
namespace {

using Kind = service::JournalTrial::Kind;

std::string answers_error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "(no error)";
}

bool has_answer(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(AnswersFileTest, ValuesHolesAndInfeasibleOnes) {
  const auto answers = parse_answers(
      "slot,x1,value,epoch\n0,9,1.5,2\n1,9,,2\n2,9,failed,2\n3,9,infeasible,2\n4,9,-1e-3,2\n",
      "a.csv");
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[0].epoch, 2U);
  EXPECT_EQ(answers[0].value, 1.5);
  EXPECT_EQ(answers[1].kind, Kind::kHole);
  EXPECT_EQ(answers[2].kind, Kind::kHole);
  EXPECT_EQ(answers[3].kind, Kind::kInfeasible);
  EXPECT_EQ(answers[4].value, -1e-3);
  EXPECT_EQ(answers[4].line, 6U);
}

TEST(AnswersFileTest, EveryBadRowIsNamed) {
  const std::string error = answers_error_of([] {
    parse_answers("epoch,slot,value\n1,0,1\n1,1,nan\n1,x,2\n-1,2,2\n1,3\n1,4,1e999\n1,5,2x\n",
                  "a.csv");
  });
  for (const char* line :
       {"a.csv:3: value = nan", "a.csv:4: slot = x", "a.csv:5: epoch = -1", "a.csv:6: 2 fields",
        "a.csv:7: value = 1e999", "a.csv:8: value = 2x", "no answer was accepted"}) {
    EXPECT_TRUE(has_answer(error, line)) << line << "\n" << error;
  }
  EXPECT_FALSE(has_answer(error, "a.csv:2:"));
}

TEST(AnswersFileTest, AMissingColumnIsNamed) {
  EXPECT_TRUE(has_answer(answers_error_of([] { parse_answers("epoch,slot\n1,2\n", "a.csv"); }),
                         "\"value\""));
  EXPECT_TRUE(has_answer(answers_error_of([] { parse_answers("", "a.csv"); }), "is empty"));
}

TEST(AnswersFileTest, ManyBadRowsStayReadable) {
  std::string text = "epoch,slot,value\n";
  for (int i = 0; i < 100; ++i) text += "1,0,x\n";
  EXPECT_TRUE(has_answer(answers_error_of([&] { parse_answers(text, "a.csv"); }), "and 80 more"));
}

// --- Against the agent's state ------------------------------------------------------------------

class SortTest : public ::testing::Test {
 protected:
  SortTest() {
    // Epochs of 2, 4 and 6 queries.
    definition_ = service::definition_of(parse_study(
        "[study]\ndirection = \"maximize\"\nagents = 1\nhorizon = 12\n[space]\ndomain = \"box\"\n"
        "dimension = 1\n[duets]\nt1 = 2\n[objective]\ncommand = [\"x\"]\nscale = 1e-20\n",
        "s.toml", {}));
    for (std::uint32_t slot = 0; slot < 2; ++slot) known(1, slot, 1.0 + slot);
    known(2, 0, 7.0);
    for (std::uint32_t slot = 1; slot < 4; ++slot)
      state_.open.push_back({0, 2, slot, 2 + slot, {}, {}});
  }
  void known(std::uint32_t epoch, std::uint32_t slot, double value) {
    service::JournalTrial trial;
    trial.query.epoch = epoch;
    trial.query.slot = slot;
    trial.value = value;
    state_.answered.push_back(trial);
  }
  Sorted sort(const std::string& rows) {
    return sort_answers(parse_answers("epoch,slot,value\n" + rows, "a.csv"), state_, definition_,
                        "a.csv");
  }

  service::Definition definition_;
  AgentState state_;
};

TEST_F(SortTest, NewKnownAndLateAnswers) {
  const Sorted sorted = sort("1,0,1\n2,0,7\n2,3,5\n2,1,\n");
  ASSERT_EQ(sorted.fresh.size(), 2U);
  EXPECT_EQ(sorted.fresh[0].first.slot, 3U);
  EXPECT_EQ(sorted.fresh[1].second.kind, Kind::kHole);
  EXPECT_EQ(sorted.num_known, 2U);
  EXPECT_EQ(sorted.num_late, 0U);
}

TEST_F(SortTest, AnEpochThatEndedWithoutAnAnswerIsLate) {
  state_.answered.erase(state_.answered.begin());
  EXPECT_EQ(sort("1,0,1\n").num_late, 1U);
}

TEST_F(SortTest, AFileWithABadAnswerIsRefusedAsAWhole) {
  const auto refused = [&](const std::string& rows) {
    return answers_error_of([&] { sort(rows); });
  };
  EXPECT_TRUE(has_answer(refused("2,1,5\n2,1,5\n"), "a.csv:3: a second row"));
  EXPECT_TRUE(has_answer(refused("2,0,8\n"), "already has the answer 7, not 8"));
  EXPECT_TRUE(has_answer(refused("2,4,8\n"), "has slots 0 to 3"));
  EXPECT_TRUE(has_answer(refused("3,0,8\n"), "epoch 3 has not begun"));
  EXPECT_TRUE(has_answer(refused("4,0,8\n"), "epochs 1 to 3"));
  EXPECT_TRUE(has_answer(refused("0,7,8\n"), "epochs 1 to 3"));
  EXPECT_TRUE(has_answer(refused("1,7,8\n"), "has slots 0 to 1"));
  EXPECT_TRUE(has_answer(refused("2,1,infeasible\n"), "infeasible_value"));
  EXPECT_TRUE(has_answer(refused("2,1,1e300\n"), "offset and scale"));
}

TEST(PlanCsvTest, ChoicesAreWordsAndIntegersHaveNoFraction) {
  domain::Parameter color{.name = "co,lor", .type = domain::ParameterType::kCategorical};
  color.choices = {"red", "deep \"blue\""};
  const domain::Domain box = domain::Domain::box(
      {domain::Parameter{.name = "x"}, color,
       domain::Parameter{.name = "bytes", .type = domain::ParameterType::kInt, .high = 1e8}});
  const std::vector<service::Query> queries{{0, 2, 5, 7, {}, {0.1, 1, 20000000}}};
  EXPECT_EQ(plan_csv(box, queries),
            "epoch,slot,x,\"co,lor\",bytes\n2,5,0.1,\"deep \"\"blue\"\"\",20000000\n");
  EXPECT_EQ(
      plan_json(box, queries).dump(),
      R"([{"epoch":2,"slot":5,"params":{"x":0.1,"co,lor":"deep \"blue\"","bytes":20000000}}])");
}

}  // namespace
}  // namespace duets::cli
