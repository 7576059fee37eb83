#include "duets/service/program_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <variant>

#include "duets/base/error.h"
#include "duets/service/program_lines.h"
#include "duets/service/program_log.h"

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
  const auto answer = read_answer(GetParam(), "3-2-17");
  ASSERT_TRUE(answer && std::holds_alternative<Failure>(*answer));
  EXPECT_THAT(std::get<Failure>(*answer).why, HasSubstr(quoted_output(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Objects, BadAnswer,
                         ::testing::Values("{}", R"({"value":"1"})", R"({"value":"NaN"})",
                                           R"({"value":null})", R"({"value":true})",
                                           R"({"value":[1]})", R"({"value":1,"infeasible":"x"})",
                                           R"({"infeasible":1})", R"({"infeasible":null})",
                                           R"({"Value":1})", R"({"loss":0.5,"epoch":3})",
                                           R"({"value":1,"trial":"3-2-18"})",
                                           R"({"value":1,"trial":3})"));

INSTANTIATE_TEST_SUITE_P(MeantAsAnAnswer, BadAnswer,
                         ::testing::Values(R"({"value":NaN})", R"({"value":Infinity})",
                                           R"({"value":-Infinity})", R"({"value":1e999})",
                                           R"({'value': 0.5})", R"({'infeasible': 'hot'})",
                                           R"({"value":1}{"value":2})", R"({"value":1)",
                                           "{\"infeasible\":\"\xff\"}"));

INSTANTIATE_TEST_SUITE_P(Numbers, BadAnswer,
                         ::testing::Values("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e999",
                                           "-1e999"));

class ProgramLogLine : public ::testing::TestWithParam<const char*> {};

TEST_P(ProgramLogLine, IsNotAnAnswer) { EXPECT_FALSE(read_answer(GetParam(), "3-2-17")); }

INSTANTIATE_TEST_SUITE_P(Lines, ProgramLogLine,
                         ::testing::Values("", " ", "hello", "loading model ...",
                                           "<html>502 Bad Gateway</html>", "{'loss': 0.5}",
                                           "{not json", "{", "value", "NaN loss", "\xff\xfe",
                                           "true", "null", "\"0.5\"", "[1]", "[0.5]",
                                           "value: {\"value\": 1}"));

// A number counts only when it is the whole line, and decimal.
INSTANTIATE_TEST_SUITE_P(LinesWithNumbers, ProgramLogLine,
                         ::testing::Values("epoch 3", "3 epochs", "accuracy: 0.93", "0.93%", "1 2",
                                           "1,5", "1_000", "0x10", "0x1p3", "1e", ".", "-", "+",
                                           "+-1", "++1", "--1", "1.2.3", "0.93;"));

TEST(ReadAnswer, TakesEveryFiniteNumber) {
  const auto value = [](const char* line) {
    return std::get<Value>(read_answer(line, "3-2-17").value()).value;
  };
  EXPECT_EQ(value(R"({"value":1})"), 1);
  EXPECT_EQ(value(R"( {"value": -1.5e-3, "seconds": 4} )"), -1.5e-3);
  EXPECT_EQ(value(R"({"value":12345678901234567890123})"), 12345678901234567890123.0);
  EXPECT_EQ(value(R"({"value":1,"trial":"3-2-17"})"), 1);
  EXPECT_EQ(value("{\"value\":1}\r"), 1);
  EXPECT_EQ(value(R"({"value":0.5,"params":{"value":2}})"), 0.5);
}

TEST(ReadAnswer, ABareNumberIsAValue) {
  for (const auto& [line, expected] : {std::pair{"0.93", 0.93},
                                       {"4", 4.0},
                                       {"-0.5", -0.5},
                                       {"+2.5", 2.5},
                                       {"1e-05", 1e-5},
                                       {"1E5", 1e5},
                                       {".5", 0.5},
                                       {"1.", 1.0},
                                       {" \t7 \r", 7.0},
                                       {"0", 0.0}}) {
    const auto answer = read_answer(line, "3-2-17");
    ASSERT_TRUE(answer && std::holds_alternative<Value>(*answer)) << line;
    EXPECT_EQ(std::get<Value>(*answer).value, expected) << line;
    EXPECT_TRUE(is_number_line(line));
  }
  EXPECT_TRUE(is_number_line("nan"));
  EXPECT_FALSE(is_number_line(R"({"value":1})"));
}

TEST(ReadAnswer, AReasonIsOneLine) {
  const Answer answer = read_answer(R"({"infeasible":"too\nhot"})", "3-2-17").value();
  EXPECT_EQ(std::get<Infeasible>(answer).why, "too hot");
}

TEST(ReadAnswer, AVeryLongLineIsShownInPart) {
  const std::string line = R"({"value":")" + std::string(100000, 'x') + R"("})";
  const Answer answer = read_answer(line, "3-2-17").value();
  EXPECT_LT(std::get<Failure>(answer).why.size(), 400);
}

TEST(ReadAnswer, ALineThatIsTooLongIsAFailureOnlyIfItLooksLikeAnAnswer) {
  const std::string much(ProgramLines::kMaxLine, '7');
  const auto answer = read_answer(R"({"value":)" + much, "3-2-17");
  ASSERT_TRUE(answer && std::holds_alternative<Failure>(*answer));
  EXPECT_THAT(std::get<Failure>(*answer).why, HasSubstr("longer than 1048576 bytes"));
  EXPECT_FALSE(read_answer(much + "7", "3-2-17"));
}

std::vector<std::string> lines_of(const std::vector<std::string>& pieces, bool ended) {
  ProgramLines lines;
  for (const std::string& piece : pieces) lines.take(piece);
  if (ended) lines.end();
  std::vector<std::string> all;
  while (auto line = lines.next()) all.push_back(*line);
  return all;
}

TEST(ProgramLines, JoinsPiecesAndDropsBlankLines) {
  EXPECT_THAT(lines_of({"on", "e\n\n \t\r\ntw", "o\nthree"}, false), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of({"one\nthree"}, true), ElementsAre("one", "three"));
}

TEST(ProgramLines, KnowsAnIncompleteLine) {
  ProgramLines lines;
  lines.take("one\n  ");
  EXPECT_FALSE(lines.has_part());
  lines.take("> ");
  EXPECT_TRUE(lines.has_part());
  lines.clear();
  EXPECT_FALSE(lines.has_part());
  EXPECT_FALSE(lines.next());
}

TEST(ProgramLines, KeepsTheStartOfAnEndlessLineAndDropsTheRest) {
  ProgramLines lines;
  const std::string piece(300000, 'y');
  for (int i = 0; i < 100; ++i) lines.take(piece);
  ASSERT_EQ(lines.next().value().size(), ProgramLines::kMaxLine + 1) << "before its line feed";
  EXPECT_FALSE(lines.next());
  lines.take("yyy\nnext\n");
  EXPECT_EQ(lines.next(), "next");
}

TEST(ReadableOutput, IsAlwaysUtf8WithoutControlCharacters) {
  EXPECT_EQ(readable_output("gr\xc3\xbcn\n\t\x1b[31m", 100), "gr\xc3\xbcn\n\t?[31m");
  EXPECT_EQ(readable_output("\xff\xc3 \xed\xa0\x80 \xc0\xaf", 100), "?? ??? ??");
  EXPECT_EQ(readable_output("a\xc3\xbc", 2), "a") << "a character is never cut";
}

TEST(ProgramLog, JoinsPiecesToLines) {
  std::vector<std::string> lines;
  ProgramLog relay([&](const std::string& line) { lines.push_back(line); });
  relay.begin_query(4);
  relay.take("on");
  relay.take("e\r\n\ntw");
  relay.take("o");
  EXPECT_THAT(lines, ElementsAre("agent 4: one\n", "agent 4: \n"));
  relay.finish_line();
  EXPECT_THAT(lines, ElementsAre("agent 4: one\n", "agent 4: \n", "agent 4: two\n"));
  EXPECT_EQ(relay.tail(), "one?\n\ntwo");
}

TEST(ProgramLog, ALineOfStandardOutputDoesNotBreakOneOfStandardError) {
  std::vector<std::string> lines;
  ProgramLog relay([&](const std::string& line) { lines.push_back(line); });
  relay.begin_query(4);
  relay.take("half");
  relay.take_line("loading");
  relay.take(" and half\n");
  EXPECT_THAT(lines, ElementsAre("agent 4: loading\n", "agent 4: half and half\n"));
  EXPECT_EQ(relay.tail(), "half\nloading\n and half\n");
}

TEST(ProgramLog, OmitsAndCountsExcessLines) {
  std::vector<std::string> lines;
  ProgramLog relay([&](const std::string& line) { lines.push_back(line); });
  relay.begin_query(0);
  for (std::size_t i = 0; i < ProgramLog::kMaxLines + 7; ++i) relay.take("x\n");
  relay.end_query();
  ASSERT_EQ(lines.size(), ProgramLog::kMaxLines + 1);
  EXPECT_EQ(lines.back(), "agent 0: (7 more lines of the program omitted)\n");
  relay.begin_query(0);
  relay.take("again\n");
  relay.end_query();
  EXPECT_EQ(lines.back(), "agent 0: again\n");
}

TEST(ProgramLog, CutsAnEndlessLine) {
  std::vector<std::string> lines;
  ProgramLog relay([&](const std::string& line) { lines.push_back(line); });
  for (int i = 0; i < 1000; ++i) relay.take(std::string(1000, 'y'));
  relay.take("\n");
  ASSERT_EQ(lines.size(), 1);
  EXPECT_EQ(lines[0], std::string(ProgramLog::kMaxLine, 'y') + "...\n");
  EXPECT_EQ(relay.tail().size(), ProgramLog::kMaxTail);
}

}  // namespace
}  // namespace duets::service
