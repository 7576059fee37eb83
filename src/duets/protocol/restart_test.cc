// A coordinator that is replayed from its journal after every input: nothing may be seen of it.
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

// A run with an absent agent in epoch 1 and a hole in epoch 2.
void play_whole_run(TestRun& run) {
  run.run_epoch({1});
  run.run_epoch({}, {{2, {0}}});
  run.finish();
}

void expect_restarting_changes_nothing(const Study& study) {
  TestRun plain(study);
  play_whole_run(plain);
  TestRun restarted(study, wavy_reward, true);
  play_whole_run(restarted);
  EXPECT_EQ(restarted.transcript(), plain.transcript());
  EXPECT_EQ(standing_of(restarted.coordinator()), standing_of(plain.coordinator()));
  EXPECT_EQ(restarted.summary().participation().empty(), false);
  EXPECT_EQ(restarted.summary().best_trial()->reward, plain.summary().best_trial()->reward);
  EXPECT_EQ(restarted.summary().recommendation()->point, plain.summary().recommendation()->point);
}

class RestartTest : public ::testing::TestWithParam<Options> {};

TEST_P(RestartTest, RestartingEverywhereChangesNothing) {
  const auto [shape, data, inducing, upload] = GetParam();
  for (const ClosingRule closing :
       {ClosingRule::kBest, ClosingRule::kProjection, ClosingRule::kAll}) {
    Study study = study_of(shape);
    study.data = data;
    study.inducing = inducing;
    study.upload = upload;
    study.closing = closing;
    expect_restarting_changes_nothing(study);
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

INSTANTIATE_TEST_SUITE_P(AllOptions, RestartTest, ::testing::ValuesIn(all_options()));

TEST(Restart, TheoryMode) {
  for (const ClosingRule closing : {ClosingRule::kBest, ClosingRule::kProjection}) {
    Study study = small_study();
    study.mode = Mode::kTheory;
    study.closing = closing;
    expect_restarting_changes_nothing(study);
  }
}

// Walks, whose starts come from the public stream or the trim, and covers.
TEST(Restart, WalksAndCoversInSmallRegions) {
  for (const bool walks : {true, false}) {
    const Study study = small_region_study(walks);
    TestRun plain(study);
    play_whole_run(plain);
    ASSERT_EQ(plain.trim(1).sampler.method, walks ? region::Method::kWalk : region::Method::kCover);
    expect_restarting_changes_nothing(study);
  }
}

}  // namespace
}  // namespace duets::protocol
