// A few rewards that a program got absurdly wrong do not decide what a learned model believes.
#include <gtest/gtest.h>

#include <cmath>

#include "duets/protocol/preset.h"
#include "duets/protocol/run_test_support.h"
#include "duets/protocol/verify.h"

namespace duets::protocol {
namespace {

/// Auto on a square, with 60 rewards before the first cut.
Study auto_study() {
  Study study = small_study(domain::Domain::box(2));
  apply_preset(*find_preset("auto"), study);
  study.agents = 20;
  study.horizon = 12;
  study.t1 = 3;
  return study;
}

/// Its largest value, 1, is at (0.3, 0.6); the deviation over the square is about 0.3.
double hill(const numeric::Vector& latent) {
  const double a = latent[0] - 0.3;
  const double b = latent[1] - 0.6;
  return std::exp(-4 * (a * a + b * b));
}

double noisy_hill(const Query& q) {
  return hill(q.latent) + 0.02 * std::sin(1.0 + 5 * q.agent + 7 * q.epoch + 11 * q.slot);
}

/// One of the 60 queries of epoch 1, three of 60 and four of 120 in the next ones.
bool is_wrong(std::uint32_t agent, std::uint32_t epoch, std::uint32_t slot) {
  return (agent + 7 * epoch + 3 * slot) % 30 == 0;
}

RewardFunction wrong_by(double much) {
  return [much](const Query& q) {
    return noisy_hill(q) + (is_wrong(q.agent, q.epoch, q.slot) ? much : 0.0);
  };
}

TEST(AbsurdRewards, AreThere) {
  const std::vector<std::uint32_t> epochs = lengths(auto_study());
  std::vector<int> wrong(epochs.size());
  for (std::uint32_t epoch = 1; epoch <= epochs.size(); ++epoch) {
    for (std::uint32_t agent = 0; agent < auto_study().agents; ++agent) {
      for (std::uint32_t slot = 0; slot < epochs[epoch - 1]; ++slot) {
        wrong[epoch - 1] += is_wrong(agent, epoch, slot) ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(wrong, (std::vector<int>{1, 3, 4}));
}

TEST(AbsurdRewards, LevelAndScaleAreThoseOfTheOthers) {
  TestRun plain(auto_study(), noisy_hill);
  plain.run_epoch();
  const Model& usual = plain.trim(1).learned.value();
  for (const double much : {1e6, -1e6, -1e30}) {
    TestRun run(auto_study(), wrong_by(much));
    run.run_epoch();
    const Model& learned = run.trim(1).learned.value();
    // One of 60 rewards, at most 16 median deviations off, each two thirds of a deviation: the mean
    // moves by 16 / 60 x 2/3 = 0.18, the variance grows by (16 x 2/3)^2 / 60 = 1.9. The fit chooses
    // among a few length scales and noises, which moves both a little more.
    const double deviation = std::sqrt(usual.kernel.variance);
    EXPECT_NEAR(learned.reward_offset, usual.reward_offset, 0.5 * deviation) << much;
    EXPECT_LT(learned.kernel.variance, 6 * usual.kernel.variance) << much;
    EXPECT_GT(learned.kernel.variance, usual.kernel.variance / 6) << much;
  }
}

// The level is the mean of all rewards unless some were limited. Those of epoch 2 crowd around the
// optimum: beside them the lowest ones of epoch 1 would lie more than 16 median deviations off.
TEST(AbsurdRewards, OrdinaryEarlyRewardsAreNotLimitedByLaterOnes) {
  double sum = 0;
  double count = 0;
  Study study = auto_study();
  study.numbers = Numbers::kDouble;
  TestRun run(study, [&](const Query& q) {
    const double reward = 100 * std::log(hill(q.latent));
    if (q.epoch <= 2) {
      sum += reward;
      count += 1;
    }
    return reward;
  });
  run.run_epoch();
  run.run_epoch();
  ASSERT_EQ(count, 120);
  EXPECT_NEAR(run.trim(2).learned.value().reward_offset, sum / count, 1e-9);
}

// Also in the epochs that send projections, in which only the agents know their rewards.
TEST(AbsurdRewards, TheRecommendationIsNearTheOptimum) {
  for (const double much : {1e6, -1e6, -1e30}) {
    TestRun all(auto_study(), wrong_by(much));
    all.finish();
    EXPECT_GT(hill(all.summary().recommendation()->point), 0.9) << much;
    Study study = auto_study();
    study.closing = ClosingRule::kProjection;
    TestRun run(study, wrong_by(much));
    run.finish();
    const RunSummary& summary = run.coordinator().summary();
    EXPECT_GT(hill(summary.recommendation()->point), 0.9) << much;
    EXPECT_LT(summary.recommendation()->mean, 3.0) << much;
    std::size_t num_projections = 0;
    for (const Record& record : run.records()) {
      const auto* taken = std::get_if<MessageTaken>(&record);
      const auto* closing = taken != nullptr ? std::get_if<Closing>(&taken->message) : nullptr;
      if (closing == nullptr) continue;
      ++num_projections;
      for (const double value : closing->values) EXPECT_LT(std::abs(value), 1e4) << much;
    }
    EXPECT_EQ(num_projections, run.study().agents);
  }
}

// The limits follow from what is recorded.
TEST(AbsurdRewards, TheRunVerifies) {
  TestRun run(auto_study(), wrong_by(1e6));
  run.finish();
  const Verification verification =
      verify(share(run.study()), random::StudySecret::from_seed(7), run.journal(), kTestExecutor);
  EXPECT_TRUE(verification.finished);
  EXPECT_TRUE(verification.ok());
}

TEST(AbsurdRewards, AFixedModelTakesRewardsAsTheyAre) {
  Study study = small_study();
  const numeric::Vector rewards{{-1e9, 0.5, 1e9}};
  EXPECT_EQ(counted_rewards(study, {study.kernel, 0.25}, rewards),
            numeric::Vector(rewards.array() - 0.25));
}

TEST(AbsurdRewards, LimitsOfALearnedModel) {
  Study study = small_study();
  study.parameters = Parameters::kLearned;
  study.kernel.variance = 4;
  const numeric::Vector rewards{{-23.0, -23.25, -1e9, 16385.0, 16385.5}};
  const numeric::Vector expected{{-24.0, -24.0, -24.0, 16384.0, 0.0}};
  EXPECT_EQ(counted_rewards(study, {study.kernel, 1.0}, rewards), expected);
}

}  // namespace
}  // namespace duets::protocol
