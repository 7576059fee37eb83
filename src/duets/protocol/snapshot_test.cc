// Snapshot and restore at every message boundary: nothing may be seen of it afterwards.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using domain::Shape;
using Options = std::tuple<Shape, DataPolicy, Inducing, UploadRule>;

Study study_of(Shape shape) {
  switch (shape) {
    case Shape::kFinite:
      return small_study();
    case Shape::kBox:
      return small_study(Domain::box(2));
    case Shape::kBall:
      break;
  }
  return small_study(Domain::ball(3, 1.0));
}

// A run with an absent agent in epoch 1 and a hole in epoch 2, so that participation is in the
// snapshots too.
void play_stored(TestRun& run) {
  run.run_epoch({1});
  run.run_epoch({}, {{2, {0}}});
  run.finish();
}

void expect_restoring_changes_nothing(const Study& study) {
  TestRun plain(study);
  play_stored(plain);
  TestRun restored(study, wavy_reward, true);
  play_stored(restored);
  EXPECT_EQ(restored.transcript(), plain.transcript());
  EXPECT_EQ(restored.coordinator().run_digest(), plain.coordinator().run_digest());
  EXPECT_EQ(restored.coordinator().state_digest(), plain.coordinator().state_digest());
  EXPECT_EQ(restored.coordinator().snapshot(), plain.coordinator().snapshot());
  EXPECT_EQ(restored.coordinator().complete_participation(), false);
  EXPECT_EQ(restored.coordinator().best_trial()->reward, plain.coordinator().best_trial()->reward);
  EXPECT_EQ(restored.coordinator().recommendation().point,
            plain.coordinator().recommendation().point);
  for (std::uint32_t a = 0; a < study.agents; ++a) {
    EXPECT_EQ(restored.agent(a).snapshot(), plain.agent(a).snapshot());
    EXPECT_EQ(restored.agent(a).plan().latents(), plain.agent(a).plan().latents());
  }
}

class SnapshotTest : public ::testing::TestWithParam<Options> {};

TEST_P(SnapshotTest, RestoringEverywhereChangesNothing) {
  const auto [shape, data, inducing, upload] = GetParam();
  for (const ClosingRule closing : {ClosingRule::kBest, ClosingRule::kProjection}) {
    Study study = study_of(shape);
    study.data = data;
    study.inducing = inducing;
    study.upload = upload;
    study.closing = closing;
    expect_restoring_changes_nothing(study);
  }
}

// Every combination that is a study: surviving data with raw rewards only is none.
std::vector<Options> all_options() {
  std::vector<Options> all;
  for (const Shape shape : {Shape::kFinite, Shape::kBox, Shape::kBall}) {
    for (const Inducing inducing : {Inducing::kCoin, Inducing::kGreedy, Inducing::kPublic}) {
      for (const UploadRule upload : {UploadRule::kAuto, UploadRule::kProjection}) {
        all.emplace_back(shape, DataPolicy::kEpoch, inducing, upload);
        all.emplace_back(shape, DataPolicy::kSurviving, inducing, upload);
      }
      all.emplace_back(shape, DataPolicy::kEpoch, inducing, UploadRule::kRewards);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllOptions, SnapshotTest, ::testing::ValuesIn(all_options()));

TEST(Snapshot, TheoryMode) {
  for (const ClosingRule closing : {ClosingRule::kBest, ClosingRule::kProjection}) {
    Study study = small_study();
    study.mode = Mode::kTheory;
    study.closing = closing;
    expect_restoring_changes_nothing(study);
  }
}

// Walks, whose starts come from the public stream or the trim, and covers.
TEST(Snapshot, WalksAndCoversInSmallRegions) {
  for (const bool walks : {true, false}) {
    const Study study = small_region_study(walks);
    TestRun plain(study);
    play_stored(plain);
    ASSERT_EQ(plain.trim(1).sampler.method, walks ? region::Method::kWalk : region::Method::kCover);
    expect_restoring_changes_nothing(study);
  }
}

TEST(Snapshot, BeforeTheStart) {
  const auto study = share(small_study());
  const auto secret = random::StudySecret::from_seed(7);
  const base::SerialExecutor executor;
  const Coordinator fresh(study, secret, executor);
  Coordinator restored = Coordinator::restore(study, secret, executor, fresh.snapshot());
  EXPECT_EQ(restored.snapshot(), fresh.snapshot());
  EXPECT_EQ(restored.start().messages.size(), 1U);
}

// Messages of closed epochs go when nothing needs them any more, and stay when later epochs do.
TEST(Snapshot, StaysSmall) {
  Study study = small_study();
  TestRun epoch(study);
  study.data = DataPolicy::kSurviving;
  TestRun surviving(study);
  for (TestRun* run : {&epoch, &surviving}) {
    run->run_epoch();
    run->run_epoch();
  }
  EXPECT_LT(epoch.coordinator().snapshot().size(), surviving.coordinator().snapshot().size());
}

TEST(Snapshot, RefusesForeignAndDamagedBytes) {
  const auto secret = random::StudySecret::from_seed(7);
  const base::SerialExecutor executor;
  for (const DataPolicy data : {DataPolicy::kEpoch, DataPolicy::kSurviving}) {
    Study study = small_study(Domain::finite(lattice(5, 1)));
    study.data = data;
    study.closing = ClosingRule::kProjection;
    TestRun run(study);
    run.run_epoch({}, {{0, {1}}});
    run.deliver(run.query(1, {2}).value());
    const base::Bytes bytes = run.coordinator().snapshot();
    const auto restore = [&](const Study& s, const base::Bytes& from) {
      return Coordinator::restore(share(s), secret, executor, from).snapshot();
    };
    EXPECT_EQ(restore(study, bytes), bytes);
    Study other = study;
    other.name = "other";
    EXPECT_EQ(error_kind([&] { restore(other, bytes); }), base::ErrorKind::kDecode);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const base::Bytes prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_EQ(error_kind([&] { restore(study, prefix); }), base::ErrorKind::kDecode) << i;
      base::Bytes damaged = bytes;
      damaged[i] ^= 0xFF;
      error_kind([&] { restore(study, damaged); });  // any answer but a crash
    }
  }
}

}  // namespace
}  // namespace duets::protocol
