#include "duets/lab/answer_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/lab/comparison_figure.h"
#include "duets/lab/comparison_test_support.h"

namespace duets::lab {
namespace {

using testing::HasSubstr;
using testing::Not;

Answer answer_at(double x, double mean, double lost) {
  return {x,
          {.regret = {.runs = 9, .mean = mean, .interval = Interval{0.5 * mean, 2 * mean}},
           .lost = lost}};
}

AnswerFigure two_lines(double first, double second) {
  const report::LineStyle marks{.colour = "#000000", .width = 0, .marker = report::Marker::kCircle};
  return {.id = "answers",
          .title = "Answers",
          .panels = {{.title = "f",
                      .lines = {{"one", marks, {answer_at(100, first, 0.25)}},
                                {"silent", marks, {answer_at(0, second, 1)}}},
                      .ask_tell = 500}}};
}

std::size_t count_in_answers(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

TEST(AnswerFigure, SaysWhoSentNothingAndWhatAskAndTellSends) {
  const std::string svg = draw_answers(two_lines(0.1, 0.3));
  EXPECT_THAT(svg, HasSubstr("nothing sent, at the left: silent"));
  EXPECT_THAT(svg, HasSubstr(">what plain ask and tell sends</text>"));
  EXPECT_THAT(svg, HasSubstr(">simple regret</text>"));
  EXPECT_THAT(svg, HasSubstr(">optimum lost, % of the runs</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

// On linear axes 0 is a label; on a logarithmic one it is not.
TEST(AnswerFigure, LogAxisOnlyWhereMeansAreFarApart) {
  EXPECT_EQ(count_in_answers(draw_answers(two_lines(0.1, 0.3)), ">0</text>") +
                count_in_answers(draw_answers(two_lines(0.1, 0.3)), ">0.0</text>"),
            2u);
  EXPECT_EQ(count_in_answers(draw_answers(two_lines(0.001, 0.3)), ">0</text>"), 1u);
  EXPECT_THAT(draw_answers(two_lines(0, 0)), Not(HasSubstr("nan"))) << "everybody found the best";
}

TEST(AnswerFigure, NothingWasRun) {
  EXPECT_THAT(draw_answers({.id = "none", .title = "None", .panels = {}}),
              HasSubstr("Nothing was run."));
}

// What a central learner is told is plain ask and tell; a ceiling sends nothing.
TEST(AnswerFigure, OfAComparison) {
  const std::vector<test::FakeTask> study = {
      {"mine", "f", {{"DUETS", 1, 50, 100}, {"GP-UCB", 1, 20, 0}, {"Uniform", 1, 300, 0}}}};
  const std::string svg = comparison_answers(test::fake_analysis(study, 5), "mine");
  EXPECT_THAT(svg, HasSubstr(">DUETS</text>"));
  EXPECT_THAT(svg, HasSubstr("nothing sent, at the left: Uniform"));
}

}  // namespace
}  // namespace duets::lab
