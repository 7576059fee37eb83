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
  query.values = {0.1, 4, 1};
  return query;
}

ProgramWords some_words(const std::string& study = "tune") {
  domain::Parameter rate{.name = "lr", .low = 1e-5, .high = 1};
  domain::Parameter layers{
      .name = "layers", .type = domain::ParameterType::kInt, .low = 1, .high = 9};
  domain::Parameter optimiser{
      .name = "agent", .type = domain::ParameterType::kCategorical, .choices = {"sgd", "adam"}};
  return {study, 5, {rate, layers, optimiser}, 3};
}

TEST(ProgramWords, EveryPlaceholderIsReplacedEverywhere) {
  EXPECT_THAT(
      some_words().filled({"env", "CUDA_VISIBLE_DEVICES={worker}", "./run-{study}",
                           "--out={study}/{agent}/{epoch}/{trial}", "{agent}{agent}"},
                          some_query()),
      ElementsAre("env", "CUDA_VISIBLE_DEVICES=5", "./run-tune", "--out=tune/3/2/3-2-17", "33"));
}

// A parameter whose name is taken keeps the meaning that the name has in every study.
TEST(ProgramWords, ParametersAreReplacedAsTheJsonShowsThem) {
  EXPECT_THAT(some_words().filled({"--lr={lr}", "{layers}", "{agent}"}, some_query()),
              ElementsAre("--lr=0.1", "4", "3"));
  EXPECT_THAT(ProgramWords("tune", 0, {}, 3).filled({"{x1},{x3},{x4}"}, some_query()),
              ElementsAre("0.1,1,{x4}"));
}

TEST(ProgramWords, OtherBracesAreKept) {
  const std::vector<std::string> command{
      "{gpu}", "{}", "{Agent}", "{ agent }", "awk '{print $1}'", "${agent", "", "{\"agent\": 1}"};
  EXPECT_EQ(some_words().filled(command, some_query()), command);
  EXPECT_THAT(some_words().filled({"{{agent}}"}, some_query()), ElementsAre("{3}"));
}

TEST(ProgramWords, NamesInBracesThatMeanNothingAreFound) {
  EXPECT_THAT(some_words().unknown({"{gpu}", "--a={lr}{y_2}", "{gpu}", "{}", "{ y }", "{print $1}",
                                    "{\"agent\": 1}", "{agent", "{x", "{"}),
              ElementsAre("{gpu}", "{y_2}"));
}

TEST(ProgramWords, InsertedTextIsNotReplacedAgain) {
  EXPECT_THAT(some_words("{agent}").filled({"{study}"}, some_query()), ElementsAre("{agent}"));
}

TEST(ProgramWords, RecognisesACommandThatNamesTheQuery) {
  const ProgramWords words = some_words();
  EXPECT_TRUE(words.names_query({"run", "--log={trial}.txt"}));
  EXPECT_TRUE(words.names_query({"run", "{epoch}"}));
  EXPECT_TRUE(words.names_query({"run", "--lr={lr}"}));
  EXPECT_FALSE(words.names_query({"run", "{agent}", "{study}", "{worker}", "{trials}", "epoch"}));
  EXPECT_TRUE(words.has_placeholder("a{agent}"));
  EXPECT_FALSE(words.has_placeholder("a{b}"));
}

TEST(ProgramWords, TheEnvironmentHasTheSameFacts) {
  EXPECT_THAT(some_words().environment(some_query()),
              ElementsAre("DUETS_STUDY=tune", "DUETS_AGENT=3", "DUETS_WORKER=5", "DUETS_EPOCH=2",
                          "DUETS_TRIAL=3-2-17"));
}

}  // namespace
}  // namespace duets::service
