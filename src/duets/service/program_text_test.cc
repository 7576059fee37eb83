#include "duets/service/program_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "duets/base/error.h"
#include "duets/service/program_stderr.h"

namespace duets::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Query query_at(std::vector<double> values) {
  Query query;
  query.agent = 3;
  query.epoch = 2;
  query.slot = 17;
  query.values = std::move(values);
  return query;
}

TEST(QueryLine, NamedParametersKeepTheirOrderNameAndType) {
  ProgramOptions options;
  domain::Parameter rate{"rate"};
  domain::Parameter layers{"layers", domain::ParameterType::kInt, 1, 8};
  domain::Parameter color{"color", domain::ParameterType::kCategorical};
  color.choices = {"green", "red \"1\""};
  options.parameters = {rate, layers, color};
  options.dimension = 3;
  EXPECT_EQ(query_line(options, query_at({0.1, 4, 1})),
            R"({"trial":"3-2-17","agent":3,"epoch":2,"slot":17,)"
            R"("params":{"rate":0.1,"layers":4,"color":"red \"1\""}})"
            "\n");
}

TEST(QueryLine, OtherPointsHaveCoordinates) {
  ProgramOptions options;
  options.dimension = 2;
  EXPECT_THAT(query_line(options, query_at({1e-300, -2.5})),
              HasSubstr(R"("params":{"x1":1e-300,"x2":-2.5})"));
}

TEST(QueryLine, APointOfAnotherDimensionIsRefused) {
  ProgramOptions options;
  options.dimension = 2;
  EXPECT_THROW(query_line(options, query_at({1})), base::Error);
}

class BadAnswer : public ::testing::TestWithParam<const char*> {};

TEST_P(BadAnswer, IsAFailureThatShowsTheLine) {
  const Answer answer = read_answer(GetParam(), "3-2-17");
  ASSERT_TRUE(std::holds_alternative<Failure>(answer));
  EXPECT_THAT(std::get<Failure>(answer).why, HasSubstr(quoted_output(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(
    Lines, BadAnswer,
    ::testing::Values("", "hello", "1.5", "[1]", "{}", R"({"value":"1"})", R"({"value":"NaN"})",
                      R"({"value":NaN})", R"({"value":Infinity})", R"({"value":-Infinity})",
                      R"({"value":1e999})", R"({"value":null})", R"({"value":true})",
                      R"({"value":[1]})", R"({"value":1,"infeasible":"x"})", R"({"infeasible":1})",
                      R"({"infeasible":null})", R"({"Value":1})", R"({"value":1}{"value":2})",
                      R"({"value":1)", R"({"value":1,"trial":"3-2-18"})",
                      R"({"value":1,"trial":3})", "{\"infeasible\":\"\xff\"}"));

TEST(ReadAnswer, TakesEveryFiniteNumber) {
  const auto value = [](const char* line) {
    return std::get<Value>(read_answer(line, "3-2-17")).value;
  };
  EXPECT_EQ(value(R"({"value":1})"), 1);
  EXPECT_EQ(value(R"( {"value": -1.5e-3, "seconds": 4} )"), -1.5e-3);
  EXPECT_EQ(value(R"({"value":12345678901234567890123})"), 12345678901234567890123.0);
  EXPECT_EQ(value(R"({"value":1,"trial":"3-2-17"})"), 1);
  EXPECT_EQ(value("{\"value\":1}\r"), 1);
}

TEST(ReadAnswer, AReasonIsOneLine) {
  const Answer answer = read_answer(R"({"infeasible":"too\nhot"})", "3-2-17");
  EXPECT_EQ(std::get<Infeasible>(answer).why, "too hot");
}

TEST(ReadAnswer, AVeryLongLineIsShownInPart) {
  const Answer answer = read_answer(std::string(100000, 'x'), "3-2-17");
  EXPECT_LT(std::get<Failure>(answer).why.size(), 400);
}

TEST(ReadableOutput, IsAlwaysUtf8WithoutControlCharacters) {
  EXPECT_EQ(readable_output("gr\xc3\xbcn\n\t\x1b[31m", 100), "gr\xc3\xbcn\n\t?[31m");
  EXPECT_EQ(readable_output("\xff\xc3 \xed\xa0\x80 \xc0\xaf", 100), "?? ??? ??");
  EXPECT_EQ(readable_output("a\xc3\xbc", 2), "a") << "a character is never cut";
}

TEST(ProgramStderr, JoinsPiecesToLines) {
  std::vector<std::string> lines;
  ProgramStderr relay([&](const std::string& line) { lines.push_back(line); });
  relay.begin_query(4);
  relay.take("on");
  relay.take("e\r\n\ntw");
  relay.take("o");
  EXPECT_THAT(lines, ElementsAre("agent 4: one\n", "agent 4: \n"));
  relay.finish_line();
  EXPECT_THAT(lines, ElementsAre("agent 4: one\n", "agent 4: \n", "agent 4: two\n"));
  EXPECT_EQ(relay.tail(), "one?\n\ntwo");
}

TEST(ProgramStderr, LeavesOutAndCountsWhatIsTooMuch) {
  std::vector<std::string> lines;
  ProgramStderr relay([&](const std::string& line) { lines.push_back(line); });
  relay.begin_query(0);
  for (std::size_t i = 0; i < ProgramStderr::kMaxLines + 7; ++i) relay.take("x\n");
  relay.end_query();
  ASSERT_EQ(lines.size(), ProgramStderr::kMaxLines + 1);
  EXPECT_EQ(lines.back(), "agent 0: (7 more lines of the program left out)\n");
  relay.begin_query(0);
  relay.take("again\n");
  relay.end_query();
  EXPECT_EQ(lines.back(), "agent 0: again\n");
}

TEST(ProgramStderr, CutsALineWithoutEnd) {
  std::vector<std::string> lines;
  ProgramStderr relay([&](const std::string& line) { lines.push_back(line); });
  for (int i = 0; i < 1000; ++i) relay.take(std::string(1000, 'y'));
  relay.take("\n");
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0], std::string(ProgramStderr::kMaxLine, 'y') + "...\n");
  EXPECT_EQ(relay.tail().size(), ProgramStderr::kMaxTail);
}

}  // namespace
}  // namespace duets::service
