// Numbers that cannot be computed with cost only their own agent an epoch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kHuge = 1e308;

/// Learns its model from raw rewards, which fails on a reward of 1e308.
Study learning_study() {
  Study study = small_study(domain::Domain::box(2));
  study.agents = 5;
  study.parameters = Parameters::kLearned;
  study.inducing = Inducing::kPublic;
  return study;
}

Study projecting_study() {
  Study study = small_study();
  study.agents = 5;
  study.upload = UploadRule::kProjection;
  study.lambda = 1e-3;
  return study;
}

std::vector<Upload> uploads(TestRun& run) {
  std::vector<Upload> all;
  for (std::uint32_t a = 0; a < run.study().agents; ++a) {
    all.push_back(std::get<Upload>(run.query(a).value()));
  }
  return all;
}

/// The first epoch, after these uploads, of a coordinator that takes them from its journal, as one
/// does whose earlier version took them.
Effects resumed(const TestRun& run, const std::vector<Upload>& uploads) {
  std::vector<base::Bytes> records{encode_record(run.records().front())};
  for (const Upload& upload : uploads) records.push_back(encode_record(MessageTaken{upload}));
  return Coordinator::replay(share(run.study()), random::StudySecret::from_seed(7), kTestExecutor,
                             records)
      .resume();
}

const EpochClosed& closing(const Effects& effects) {
  for (const Record& record : effects.records) {
    if (const auto* closed = std::get_if<EpochClosed>(&record)) return *closed;
  }
  throw std::out_of_range("no epoch was closed");
}

std::vector<std::uint32_t> left_out(const Effects& effects) {
  std::vector<std::uint32_t> agents;
  for (const Event& event : effects.events) {
    if (const auto* one = std::get_if<MessageLeftOut>(&event)) {
      agents.push_back(base::value(one->agent));
      EXPECT_FALSE(one->why.empty());
    }
  }
  return agents;
}

TEST(Unusable, RewardsEndWhereTheirFourthPowersWouldOverflow) {
  for (const double reward : {0.0, -1e30, 0x1.fffffffffffffp127, -0x1.fffffffffffffp127}) {
    EXPECT_TRUE(is_usable_reward(reward)) << reward;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double reward : {kLargestReward, -kLargestReward, kHuge, infinity, -infinity,
                              std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_FALSE(is_usable_reward(reward)) << reward;
  }
}

TEST(Unusable, AnAgentRefusesSuchAReward) {
  TestRun run(learning_study());
  EXPECT_EQ(error_kind([&] { run.agent(0).report(0, kHuge); }), base::ErrorKind::kInvalid);
  EXPECT_THAT(error_text([&] { run.agent(0).report(0, kHuge); }), HasSubstr("as a hole"));
}

// The agent may send the same epoch again, with holes where the numbers were.
TEST(Unusable, ARefusedUploadCanBeReplaced) {
  TestRun run(learning_study());
  Upload upload = uploads(run)[1];
  const Upload good = upload;
  upload.values[0] = kHuge;
  const Effects refused = run.coordinator().receive(upload);
  ASSERT_EQ(refused.messages.size(), 1U);
  EXPECT_EQ(std::get<Refusal>(refused.messages[0].message).reason, Reason::kUnusable);
  EXPECT_TRUE(refused.records.empty());
  upload.values.erase(upload.values.begin());
  upload.holes = {0};
  EXPECT_EQ(run.coordinator().receive(upload).records.size(), 1U);
}

TEST(Unusable, AClosingMessageIsRefusedToo) {
  Study study = small_study();
  study.horizon = 2;
  TestRun run(study);
  auto closing = std::get<Closing>(run.query(0).value());
  closing.best.reward = kHuge;
  const Effects refused = run.coordinator().receive(closing);
  ASSERT_EQ(refused.messages.size(), 1U);
  EXPECT_EQ(std::get<Refusal>(refused.messages[0].message).reason, Reason::kUnusable);
}

// What follows is what follows when that agent is absent, to the bit. The rewards are too few to
// call one of them absurd and go on with it.
TEST(Unusable, ARewardFromAnOldJournalLeavesItsAgentOut) {
  Study study = learning_study();
  study.agents = 3;
  TestRun run(study);
  std::vector<Upload> all = uploads(run);
  all[1].values[1] = -kHuge;
  const Effects effects = resumed(run, all);
  EXPECT_THAT(left_out(effects), ElementsAre(1U));

  TestRun without(study);
  without.run_epoch({1});
  EXPECT_THAT(closing(effects).participants, ElementsAre(0U, 2U));
  EXPECT_EQ(closing(effects).run_digest, without.coordinator().summary().run_digest());
  EXPECT_EQ(closing(effects).state_digest, without.coordinator().summary().state_digest());
  EXPECT_THAT(closing(effects).trim.excluded, ElementsAre(1U));
}

TEST(Unusable, AProjectionThatOverflowsLeavesItsAgentsOut) {
  TestRun run(projecting_study());
  std::vector<Upload> all = uploads(run);
  for (const std::size_t a : {0U, 4U}) {
    for (double& value : all[a].values) value = kHuge;
  }
  Effects effects;
  for (const Upload& upload : all) effects = run.coordinator().receive(upload);
  EXPECT_THAT(left_out(effects), ElementsAre(0U, 4U));
  EXPECT_THAT(closing(effects).participants, ElementsAre(1U, 2U, 3U));
  EXPECT_EQ(base::value(run.coordinator().epoch()), 2U);
  EXPECT_FALSE(run.coordinator().summary().participation().empty());

  TestRun without(projecting_study());
  without.run_epoch({0, 4});
  EXPECT_EQ(closing(effects).state_digest, without.coordinator().summary().state_digest());
}

// What no rewards can make is left out even when most agents send it.
TEST(Unusable, AMajorityOfImpossibleProjectionsIsLeftOut) {
  TestRun run(projecting_study());
  std::vector<Upload> all = uploads(run);
  for (const std::size_t a : {0U, 1U, 2U, 4U}) {
    for (double& value : all[a].values) value = kHuge;
  }
  Effects effects;
  for (const Upload& upload : all) effects = run.coordinator().receive(upload);
  EXPECT_THAT(left_out(effects), ElementsAre(0U, 1U, 2U, 4U));

  TestRun without(projecting_study());
  without.run_epoch({0, 1, 2, 4});
  EXPECT_EQ(closing(effects).state_digest, without.coordinator().summary().state_digest());
}

// The largest usable rewards give projections below that bound: nothing fails and nobody is left
// out.
TEST(Unusable, TheLargestRewardsCanBeProjected) {
  TestRun run(projecting_study(), [](const Query&) { return 0x1.fffffffffffffp127; });
  run.finish();
  EXPECT_TRUE(run.coordinator().finished());
  EXPECT_TRUE(run.coordinator().summary().participation().empty());
}

// When no single message is at fault, the error is thrown and all messages stay.
TEST(Unusable, NoAgentIsExcludedWhereAllAreAlike) {
  TestRun run(projecting_study());
  std::vector<Upload> all = uploads(run);
  for (Upload& upload : all) {
    for (double& value : upload.values) value = kHuge;
  }
  for (std::size_t a = 0; a < 4; ++a) run.coordinator().receive(all[a]);
  EXPECT_EQ(error_kind([&] { run.coordinator().receive(all[4]); }), base::ErrorKind::kInvalid);
  EXPECT_TRUE(run.coordinator().is_open());
  EXPECT_TRUE(run.coordinator().waiting_for().empty());
}

TEST(Unusable, TheOnlyAgentIsNotLeftOut) {
  Study study = learning_study();
  study.agents = 1;
  TestRun run(study);
  std::vector<Upload> all = uploads(run);
  all[0].values[0] = kHuge;
  EXPECT_EQ(error_kind([&] { resumed(run, all); }), base::ErrorKind::kInvalid);
}

}  // namespace
}  // namespace duets::protocol
