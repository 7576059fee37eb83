#include "duets/cli/log_limiter.h"

#include <gtest/gtest.h>

namespace duets::cli {
namespace {

using service::LogLine;

LogLine refusal(const std::string& message, const std::string& study = "") {
  return {.message = message, .cause = "garbage", .study = study};
}

TEST(LogLimiter, ACauseIsShownOncePerMinuteWithTheCountOfTheRest) {
  LogLimiter limiter;
  ASSERT_TRUE(limiter.pass(refusal("first"), 100));
  for (int i = 0; i < 7; ++i) EXPECT_FALSE(limiter.pass(refusal("again"), 101 + i));
  const auto shown = limiter.pass(refusal("later"), 160);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->message, "later");
  EXPECT_EQ(shown->repeats, 7U);
  EXPECT_FALSE(limiter.pass(refusal("again"), 161)) << "a new minute begins";
}

// Of n lines, the shown ones and their repeats add up to n, whenever they are requested.
TEST(LogLimiter, NoLineIsLostAndNoneIsCountedTwice) {
  LogLimiter limiter;
  std::uint64_t total = 0;
  const auto count = [&](const LogLine& line) { total += 1 + line.repeats; };
  for (int second = 0; second < 300; ++second) {
    if (const auto shown = limiter.pass(refusal("x"), second)) count(*shown);
    if (second % 90 == 0) {
      for (const LogLine& line : limiter.due(second)) count(line);
    }
  }
  for (const LogLine& line : limiter.rest()) count(line);
  EXPECT_EQ(total, 300U);
  EXPECT_TRUE(limiter.rest().empty());
}

TEST(LogLimiter, CountedLinesAreShownAfterAMinute) {
  LogLimiter limiter;
  limiter.pass(refusal("first"), 0);
  limiter.pass(refusal("second"), 1);
  limiter.pass(refusal("third"), 2);
  EXPECT_TRUE(limiter.due(59).empty());
  const std::vector<LogLine> due = limiter.due(60);
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].message, "third") << "the newest is the most useful";
  EXPECT_EQ(due[0].repeats, 1U) << "the second; the third is this line";
  EXPECT_TRUE(limiter.due(500).empty());
}

TEST(LogLimiter, StudiesAndCausesDoNotHideEachOther) {
  LogLimiter limiter;
  EXPECT_TRUE(limiter.pass(refusal("x", "one"), 0));
  EXPECT_TRUE(limiter.pass(refusal("x", "two"), 0));
  EXPECT_TRUE(limiter.pass({.message = "x", .cause = "idle"}, 0));
  EXPECT_FALSE(limiter.pass(refusal("x", "one"), 0));
}

TEST(LogLimiter, LinesWithoutACauseAreAllShown) {
  LogLimiter limiter;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limiter.pass({.message = "epoch"}, 0));
  EXPECT_TRUE(limiter.rest().empty());
}

TEST(LogLimiter, AClockThatIsSetBackDoesNotSilenceACause) {
  LogLimiter limiter;
  limiter.pass(refusal("x"), 1e6);
  EXPECT_TRUE(limiter.pass(refusal("x"), 5));
}

}  // namespace
}  // namespace duets::cli
