// A journal cut off between any two records: whoever goes on from it cannot be told from one that
// was never cut off.
#include <gtest/gtest.h>

#include <algorithm>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;

const auto kSecret = random::StudySecret::from_seed(7);

void append(std::vector<base::Bytes>& journal, const Effects& effects) {
  for (const Record& record : effects.records) journal.push_back(encode_record(record));
}

// What the host does so that the next record of the uncut run comes out: the agents' messages and
// its own decisions; everything else the coordinator does by itself.
Effects next_input(Coordinator& coordinator, const Record& wanted) {
  if (const auto* taken = std::get_if<MessageTaken>(&wanted)) {
    return coordinator.receive(taken->message);
  }
  const auto& closed = std::get<EpochClosed>(wanted);
  std::vector<AgentId> participants;
  for (const std::uint32_t a : closed.participants) participants.push_back(AgentId{a});
  return coordinator.close(closed.epoch, participants);
}

// Replays the first `cut` records, resumes, and brings what is missing.
void expect_goes_on_alike(const TestRun& run, const Coordinator& uncut, std::size_t cut) {
  const std::vector<base::Bytes>& whole = run.journal();
  std::vector<base::Bytes> journal(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
  Coordinator coordinator =
      Coordinator::replay(share(run.study()), kSecret, kTestExecutor, journal);
  append(journal, coordinator.resume());
  EXPECT_TRUE(coordinator.resume().records.empty());
  while (journal.size() < whole.size()) {
    const Record& wanted = run.records()[journal.size()];
    ASSERT_FALSE(std::holds_alternative<EpochOpened>(wanted)) << "an epoch was not opened";
    const auto* closed = std::get_if<EpochClosed>(&wanted);
    ASSERT_TRUE(closed == nullptr || closed->participants.size() < run.study().agents)
        << "an epoch with all its messages was not closed";
    append(journal, next_input(coordinator, wanted));
  }
  EXPECT_EQ(journal, whole);
  EXPECT_EQ(standing_of(coordinator), standing_of(uncut));
  const RunSummary& summary = coordinator.summary();
  const RunSummary& expected = uncut.summary();
  EXPECT_EQ(summary.sent(), expected.sent());
  ASSERT_EQ(summary.recommendation().has_value(), expected.recommendation().has_value());
  if (expected.recommendation()) {
    EXPECT_EQ(summary.recommendation()->point, expected.recommendation()->point);
  }
  ASSERT_EQ(summary.best_trial().has_value(), expected.best_trial().has_value());
  if (expected.best_trial()) {
    EXPECT_EQ(summary.best_trial()->reward, expected.best_trial()->reward);
  }
}

void expect_every_cut_goes_on_alike(TestRun& run) {
  for (std::size_t cut = 0; cut <= run.records().size(); ++cut) {
    SCOPED_TRACE(cut);
    expect_goes_on_alike(run, run.coordinator(), cut);
  }
}

// An agent is absent in epoch 1, another was heard but left out in epoch 2, one fails in epoch 2,
// and an agent is absent at the end.
void play(TestRun& run) {
  run.run_epoch({1});
  run.deliver(run.query(0, {0}).value());
  run.deliver(run.query(1).value());
  run.close(2, {AgentId{0}});
  run.run_epoch({2});
}

std::vector<Study> studies() {
  std::vector<Study> all;
  for (const ClosingRule closing :
       {ClosingRule::kBest, ClosingRule::kProjection, ClosingRule::kAll}) {
    for (const DataPolicy data : {DataPolicy::kEpoch, DataPolicy::kSurviving}) {
      for (Study study :
           {small_study(), small_study(Domain::box(2)), small_study(Domain::ball(3, 1.0))}) {
        study.closing = closing;
        study.data = data;
        all.push_back(study);
      }
    }
  }
  return all;
}

TEST(Journal, EveryCutOfACompleteRun) {
  for (const Study& study : studies()) {
    TestRun run(study);
    run.finish();
    expect_every_cut_goes_on_alike(run);
  }
}

TEST(Journal, EveryCutOfARunWithAbsences) {
  for (const Study& study : studies()) {
    TestRun run(study);
    play(run);
    expect_every_cut_goes_on_alike(run);
  }
}

TEST(Journal, EveryCutOfAnUnfinishedRun) {
  TestRun run(small_study());
  run.run_epoch();
  run.deliver(run.query(2).value());
  expect_every_cut_goes_on_alike(run);
}

// A cut before a decision of the host: the decision is not made by resume().
TEST(Journal, ADecisionThatWasNotWrittenIsOpenAgain) {
  TestRun run(small_study());
  run.run_epoch({1});
  const std::vector<base::Bytes>& whole = run.journal();
  const std::vector<base::Bytes> journal(whole.begin(), whole.begin() + 3);
  Coordinator coordinator =
      Coordinator::replay(share(run.study()), kSecret, kTestExecutor, journal);
  EXPECT_TRUE(coordinator.resume().records.empty());
  EXPECT_EQ(coordinator.waiting_for(), std::vector<AgentId>{AgentId{1}});
}

// Messages that arrive again after a restart change nothing.
TEST(Journal, RedeliveryAfterReplay) {
  TestRun run(small_study());
  run.run_epoch();
  const Message first = run.query(0).value();
  run.deliver(first);
  Coordinator coordinator =
      Coordinator::replay(share(run.study()), kSecret, kTestExecutor, run.journal());
  EXPECT_TRUE(coordinator.receive(first).records.empty());
  EXPECT_EQ(standing_of(coordinator), standing_of(run.coordinator()));
}

// A message whose epoch could not be closed is in the journal once the host hears of it again.
TEST(Journal, MessagesOfAFailedClosingAreWritten) {
  Study study = small_study();
  study.upload = UploadRule::kProjection;
  FailingExecutor executor;
  TestRun run(study, wavy_reward, false, kSecret, executor);
  run.deliver(run.query(0).value());
  run.deliver(run.query(1).value());
  const Message last = run.query(2).value();
  executor.fails = true;
  EXPECT_TRUE(error_kind([&] { run.coordinator().receive(last); }));
  executor.fails = false;
  run.close(1, {AgentId{2}});
  const auto taken = std::count_if(run.records().begin(), run.records().end(), [](const Record& r) {
    return std::holds_alternative<MessageTaken>(r);
  });
  EXPECT_EQ(taken, 3);
  const Coordinator replayed =
      Coordinator::replay(share(study), kSecret, kTestExecutor, run.journal());
  EXPECT_EQ(standing_of(replayed), standing_of(run.coordinator()));
}

TEST(Journal, RefusesRecordsOfNoRun) {
  TestRun run(small_study());
  run.finish();
  const std::vector<base::Bytes>& whole = run.journal();
  const auto kind = [&](const std::vector<base::Bytes>& records) {
    return error_kind(
        [&] { Coordinator::replay(share(run.study()), kSecret, kTestExecutor, records); });
  };
  EXPECT_EQ(kind(whole), std::nullopt);
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    std::vector<base::Bytes> gap = whole;
    gap.erase(gap.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_EQ(kind(gap), base::ErrorKind::kDecode) << i;
    std::vector<base::Bytes> twice = whole;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), whole[i]);
    EXPECT_EQ(kind(twice), base::ErrorKind::kDecode) << i;
  }
}

// The broadcasts that agents got are those of the records, in order.
TEST(Journal, BroadcastsFollowFromRecords) {
  for (const ClosingRule closing :
       {ClosingRule::kBest, ClosingRule::kProjection, ClosingRule::kAll}) {
    Study study = small_study();
    study.closing = closing;
    TestRun run(study);
    play(run);
    std::vector<base::Bytes> broadcast;
    for (const Record& record : run.records()) {
      for (const Message& message : broadcasts(study, record)) broadcast.push_back(encode(message));
    }
    EXPECT_EQ(broadcast, run.broadcast());
  }
}

}  // namespace
}  // namespace duets::protocol
