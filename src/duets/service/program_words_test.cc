#include "duets/service/program_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace duets::service {
namespace {

using ::testing::ElementsAre;

Query some_query() {
  Query query;
  query.agent = 3;
  query.epoch = 2;
  query.slot = 17;
  return query;
}

TEST(ProgramWords, EveryPlaceholderIsReplacedEverywhere) {
  EXPECT_THAT(
      filled_command({"env", "CUDA_VISIBLE_DEVICES={agent}", "./run-{study}",
                      "--out={study}/{agent}/{epoch}/{trial}", "{agent}{agent}"},
                     "tune", some_query()),
      ElementsAre("env", "CUDA_VISIBLE_DEVICES=3", "./run-tune", "--out=tune/3/2/3-2-17", "33"));
}

TEST(ProgramWords, OtherBracesAreKept) {
  const std::vector<std::string> command{
      "{gpu}", "{}", "{Agent}", "{ agent }", "awk '{print $1}'", "${agent", "", "{\"agent\": 1}"};
  EXPECT_EQ(filled_command(command, "tune", some_query()), command);
  EXPECT_THAT(filled_command({"{{agent}}"}, "tune", some_query()), ElementsAre("{3}"));
}

TEST(ProgramWords, InsertedTextIsNotReplacedAgain) {
  EXPECT_THAT(filled_command({"{study}"}, "{agent}", some_query()), ElementsAre("{agent}"));
}

TEST(ProgramWords, RecognisesACommandThatNamesTheQuery) {
  EXPECT_TRUE(names_query({"run", "--log={trial}.txt"}));
  EXPECT_TRUE(names_query({"run", "{epoch}"}));
  EXPECT_FALSE(names_query({"run", "{agent}", "{study}", "{trials}", "epoch"}));
  EXPECT_TRUE(has_placeholder("a{agent}"));
  EXPECT_FALSE(has_placeholder("a{b}"));
}

TEST(ProgramWords, TheEnvironmentHasTheSameFacts) {
  EXPECT_THAT(
      query_environment("tune", some_query()),
      ElementsAre("DUETS_STUDY=tune", "DUETS_AGENT=3", "DUETS_EPOCH=2", "DUETS_TRIAL=3-2-17"));
}

}  // namespace
}  // namespace duets::service
