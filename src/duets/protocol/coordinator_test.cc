#include "duets/protocol/coordinator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

constexpr double kCoordinatorNan = std::numeric_limits<double>::quiet_NaN();

// A refusal to the sender and its event, nothing else, and an unchanged state.
void expect_message_refused(TestRun& run, const Message& message, Reason reason) {
  const auto before = standing_of(run.coordinator());
  const Effects effects = run.coordinator().receive(message);
  EXPECT_TRUE(effects.records.empty());
  ASSERT_FALSE(effects.messages.empty());
  const auto& refusal = std::get<Refusal>(effects.messages.back().message);
  EXPECT_EQ(refusal.reason, reason) << base::name_of(refusal.reason);
  EXPECT_EQ(effects.messages.back().to, refusal.agent);
  EXPECT_EQ(effects.messages.size(), reason == Reason::kStale ? 2U : 1U);
  ASSERT_EQ(effects.events.size(), 1U);
  EXPECT_EQ(std::get<MessageRefused>(effects.events[0]).refusal.reason, reason);
  EXPECT_EQ(standing_of(run.coordinator()), before);
}

Upload upload_of(TestRun& run, std::uint32_t agent) {
  return std::get<Upload>(run.query(agent).value());
}

TEST(Coordinator, StartOpensTheFirstEpochOnce) {
  const auto study = share(small_study());
  const base::SerialExecutor executor;
  Coordinator coordinator(study, random::StudySecret::from_seed(7), executor);
  const Effects effects = coordinator.start();
  ASSERT_EQ(effects.records.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<EpochOpened>(effects.records[0]));
  ASSERT_EQ(effects.messages.size(), 1U);
  EXPECT_FALSE(effects.messages[0].to);
  EXPECT_TRUE(std::holds_alternative<InducingSet>(effects.messages[0].message));
  EXPECT_EQ(std::get<EpochBegan>(effects.events.at(0)).length, 2U);
  EXPECT_EQ(coordinator.waiting_for().size(), 3U);
  EXPECT_EQ(error_kind([&] { coordinator.start(); }), base::ErrorKind::kInvalid);
}

TEST(Coordinator, BeforeTheStartEverythingIsForeign) {
  TestRun run(small_study());
  const Upload upload = upload_of(run, 0);
  const base::SerialExecutor executor;
  Coordinator fresh(share(small_study()), random::StudySecret::from_seed(7), executor);
  const Effects effects = fresh.receive(upload);
  EXPECT_EQ(std::get<Refusal>(effects.messages.at(0).message).reason, Reason::kForeign);
}

TEST(Coordinator, RefusesABadStudy) {
  Study study = small_study();
  study.lambda = 0;
  const base::SerialExecutor executor;
  EXPECT_EQ(
      error_kind([&] { Coordinator(share(study), random::StudySecret::from_seed(7), executor); }),
      base::ErrorKind::kInvalid);
}

TEST(Coordinator, TakesAMessageAndRecordsIt) {
  TestRun run(small_study());
  const Upload upload = upload_of(run, 1);
  const Effects effects = run.coordinator().receive(upload);
  ASSERT_EQ(effects.records.size(), 1U);
  EXPECT_EQ(encode(std::get<MessageTaken>(effects.records[0]).message), encode(upload));
  EXPECT_TRUE(effects.messages.empty());
  EXPECT_TRUE(effects.events.empty());
  EXPECT_EQ(run.coordinator().waiting_for(), (std::vector<AgentId>{AgentId{0}, AgentId{2}}));
}

TEST(Coordinator, DuplicateIsIgnored) {
  TestRun run(small_study());
  const Upload upload = upload_of(run, 1);
  run.coordinator().receive(upload);
  const auto before = standing_of(run.coordinator());
  const Effects effects = run.coordinator().receive(upload);
  EXPECT_TRUE(effects.records.empty() && effects.messages.empty() && effects.events.empty());
  EXPECT_EQ(standing_of(run.coordinator()), before);
}

TEST(Coordinator, ConflictKeepsTheFirst) {
  TestRun run(small_study());
  Upload upload = upload_of(run, 1);
  run.coordinator().receive(upload);
  upload.values[0] += 1;
  expect_message_refused(run, upload, Reason::kConflict);
}

TEST(Coordinator, StaleUploadIsAnsweredWithTheTrim) {
  TestRun run(small_study());
  run.run_epoch({1});
  ASSERT_EQ(run.coordinator().epoch(), EpochId{2});
  Upload upload;
  upload.agent = AgentId{1};
  upload.epoch = EpochId{1};
  expect_message_refused(run, upload, Reason::kStale);
  const Effects effects = run.coordinator().receive(upload);
  EXPECT_EQ(effects.messages[0].to, AgentId{1});
  EXPECT_EQ(encode(effects.messages[0].message), encode(run.trim(1)));
}

TEST(Coordinator, ForeignAgentsAndFutureEpochs) {
  TestRun run(small_study());
  Upload upload = upload_of(run, 1);
  upload.agent = AgentId{3};
  expect_message_refused(run, upload, Reason::kForeign);
  upload.agent = AgentId{0xFFFFFFFFU};
  expect_message_refused(run, upload, Reason::kForeign);
  upload.agent = AgentId{1};
  upload.epoch = EpochId{2};
  expect_message_refused(run, upload, Reason::kForeign);
  upload.epoch = EpochId{0};
  expect_message_refused(run, upload, Reason::kForeign);
  Closing closing;
  closing.agent = AgentId{1};
  expect_message_refused(run, closing, Reason::kForeign);  // the last epoch has not begun
}

TEST(Coordinator, Shapes) {
  TestRun run(small_study());
  const Upload good = upload_of(run, 1);
  std::vector<Upload> bad(6, good);
  bad[0].values.push_back(0);
  bad[1].values.clear();
  bad[2].kind = good.kind == UploadKind::kRewards ? UploadKind::kProjection : UploadKind::kRewards;
  bad[3].holes = {2};  // the epoch has two slots
  bad[4].holes = {1, 0};
  bad[5].holes = {1, 1};
  for (const Upload& upload : bad) expect_message_refused(run, upload, Reason::kShape);
  EXPECT_EQ(run.coordinator().receive(good).records.size(), 1U);
}

TEST(Coordinator, RawRewardsAreAsManyAsSlotsThatAreNoHoles) {
  Study study = small_study();
  study.upload = UploadRule::kRewards;
  TestRun run(study);
  Upload upload = upload_of(run, 1);
  ASSERT_EQ(upload.values.size(), 2U);
  upload.holes = {0};
  expect_message_refused(run, upload, Reason::kShape);
  upload.values.pop_back();
  EXPECT_EQ(run.coordinator().receive(upload).records.size(), 1U);
}

TEST(Coordinator, NumbersThatAreNotFinite) {
  TestRun run(small_study());
  Upload upload = upload_of(run, 1);
  for (const double bad : {kCoordinatorNan, std::numeric_limits<double>::infinity()}) {
    upload.values.back() = bad;
    expect_message_refused(run, upload, Reason::kUnusable);
  }
}

TEST(Coordinator, AnotherDigestMeansDivergence) {
  TestRun run(small_study());
  Upload upload = upload_of(run, 1);
  upload.points_digest ^= 1;
  expect_message_refused(run, upload, Reason::kDiverged);
  const Effects effects = run.coordinator().receive(upload);
  EXPECT_EQ(error_kind([&] { run.agent(1).receive(effects.messages.at(0).message); }),
            base::ErrorKind::kDiverged);
}

TEST(Coordinator, BroadcastsAreNotForTheCoordinator) {
  TestRun run(small_study());
  EXPECT_EQ(error_kind([&] { run.coordinator().receive(Trim{}); }), base::ErrorKind::kProtocol);
  EXPECT_EQ(error_kind([&] { run.coordinator().receive(InducingSet{}); }),
            base::ErrorKind::kProtocol);
  EXPECT_EQ(error_kind([&] { run.coordinator().receive(Refusal{}); }), base::ErrorKind::kProtocol);
}

class ClosingTest : public ::testing::TestWithParam<ClosingRule> {};

TEST_P(ClosingTest, AnswersToClosingMessages) {
  Study study = small_study();
  study.closing = GetParam();
  TestRun run(study);
  run.run_epoch();
  run.run_epoch();
  const auto good = std::get<Closing>(run.query(1).value());
  std::vector<Closing> shapes(4, good);
  shapes[0].values.push_back(0);
  shapes[1].holes = {3};
  shapes[2].best.slot = 99;
  shapes[3].best.epoch = EpochId{4};
  for (const Closing& closing : shapes) expect_message_refused(run, closing, Reason::kShape);
  Closing bad = good;
  bad.best.reward = kCoordinatorNan;
  expect_message_refused(run, bad, Reason::kUnusable);
  bad = good;
  bad.points_digest ^= 1;
  expect_message_refused(run, bad, Reason::kDiverged);
  Upload upload;
  upload.agent = AgentId{1};
  upload.epoch = EpochId{3};
  upload.points_digest = good.points_digest;
  expect_message_refused(run, upload,
                         Reason::kShape);  // the last epoch takes closing messages only

  EXPECT_EQ(run.deliver(good).records.size(), 1U);
  EXPECT_TRUE(run.coordinator().receive(good).messages.empty());
  Closing other = good;
  other.best.reward += 1;
  expect_message_refused(run, other, Reason::kConflict);
}

TEST_P(ClosingTest, TheLastEpochEndsTheStudy) {
  Study study = small_study();
  study.closing = GetParam();
  TestRun run(study);
  run.finish();
  Coordinator& coordinator = run.coordinator();
  EXPECT_TRUE(coordinator.finished());
  EXPECT_TRUE(coordinator.waiting_for().empty());
  EXPECT_TRUE(coordinator.summary().participation().empty());
  const bool projection = GetParam() != ClosingRule::kBest;
  EXPECT_EQ(coordinator.summary().epochs().size(), projection ? 3U : 2U);
  EXPECT_EQ(coordinator.summary().recommendation()->epoch, EpochId{projection ? 3U : 2U});
  EXPECT_EQ(error_kind([&] { coordinator.close(EpochId{3}, {AgentId{0}}); }),
            base::ErrorKind::kInvalid);
  // The best of all closing messages, ties to the lowest agent.
  double best = -1e9;
  for (std::uint32_t a = 0; a < 3; ++a) {
    best = std::max(best, std::get<Closing>(*run.agent(a).outstanding()).best.reward);
    EXPECT_TRUE(run.agent(a).finished());
  }
  EXPECT_EQ(coordinator.summary().best_trial()->reward, best);
  // A closing message again, after the end: stale, and there is no trim to send along.
  const Effects late = coordinator.receive(*run.agent(1).outstanding());
  ASSERT_EQ(late.messages.size(), 1U);
  EXPECT_EQ(std::get<Refusal>(late.messages[0].message).reason, Reason::kStale);
}

INSTANTIATE_TEST_SUITE_P(Rules, ClosingTest,
                         ::testing::Values(ClosingRule::kBest, ClosingRule::kProjection,
                                           ClosingRule::kAll));

// A closing message holds a projection whatever the uploads were, and its inducing set says so.
TEST(Coordinator, ClosingSetAsksForProjections) {
  Study study = small_study();
  study.closing = ClosingRule::kProjection;
  study.upload = UploadRule::kRewards;
  TestRun run(study);
  run.run_epoch();
  run.run_epoch();
  const InducingSet& set = run.coordinator().view().inducing(EpochId{3}).message;
  EXPECT_TRUE(set.closing);
  EXPECT_EQ(set.upload, UploadKind::kProjection);
}

TEST(Coordinator, CloseChecksItsArguments) {
  TestRun run(small_study());
  run.deliver(upload_of(run, 0));
  run.deliver(upload_of(run, 2));
  Coordinator& coordinator = run.coordinator();
  const auto before = standing_of(coordinator);
  const auto kind = [&](std::uint32_t epoch, const std::vector<AgentId>& agents) {
    return error_kind([&] { coordinator.close(EpochId{epoch}, agents); });
  };
  EXPECT_EQ(kind(2, {AgentId{0}}), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind(1, {}), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind(1, {AgentId{2}, AgentId{0}}), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind(1, {AgentId{0}, AgentId{0}}), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind(1, {AgentId{0}, AgentId{1}}), base::ErrorKind::kInvalid);
  EXPECT_EQ(kind(1, {AgentId{9}}), base::ErrorKind::kInvalid);
  EXPECT_EQ(standing_of(coordinator), before);
  EXPECT_EQ(kind(1, {AgentId{0}, AgentId{2}}), std::nullopt);
  EXPECT_EQ(coordinator.epoch(), EpochId{2});
  EXPECT_FALSE(coordinator.summary().participation().empty());
}

// Effects come as: records, messages, events; an epoch's end brings the trim before the next S.
TEST(Coordinator, TheLastUploadClosesTheEpochAndOpensTheNext) {
  TestRun run(small_study());
  run.deliver(upload_of(run, 0));
  run.deliver(upload_of(run, 1));
  const Effects effects = run.coordinator().receive(upload_of(run, 2));
  ASSERT_EQ(effects.records.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<MessageTaken>(effects.records[0]));
  EXPECT_TRUE(std::holds_alternative<EpochClosed>(effects.records[1]));
  EXPECT_TRUE(std::holds_alternative<EpochOpened>(effects.records[2]));
  ASSERT_EQ(effects.messages.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Trim>(effects.messages[0].message));
  EXPECT_TRUE(std::holds_alternative<InducingSet>(effects.messages[1].message));
  ASSERT_EQ(effects.events.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<EpochEnded>(effects.events[0]));
  EXPECT_TRUE(std::holds_alternative<EpochBegan>(effects.events[1]));
}

// Sums are taken in agent order, so the order of arrival cannot be seen in any byte that is sent.
TEST(Coordinator, UploadsInAnyOrderGiveTheSameBytes) {
  std::vector<std::uint32_t> order{0, 1, 2};
  std::vector<base::Bytes> broadcasts;
  std::vector<base::Digest> digests;
  do {
    TestRun run(small_study());
    while (!run.coordinator().finished()) {
      for (const std::uint32_t a : order) {
        const Effects effects = run.deliver(run.query(a).value());
        for (const Outgoing& out : effects.messages) broadcasts.push_back(encode(out.message));
      }
    }
    digests.push_back(run.coordinator().summary().run_digest());
    digests.push_back(run.coordinator().summary().state_digest());
  } while (std::next_permutation(order.begin(), order.end()));
  const std::size_t per_run = broadcasts.size() / 6;
  ASSERT_EQ(per_run, 3U);  // two cuts and the inducing set between them
  for (std::size_t i = 0; i < broadcasts.size(); ++i) {
    EXPECT_EQ(broadcasts[i], broadcasts[i % per_run]);
  }
  for (std::size_t i = 0; i < digests.size(); ++i) EXPECT_EQ(digests[i], digests[i % 2]);
}

}  // namespace
}  // namespace duets::protocol
