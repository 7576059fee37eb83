// What REDS and BPE promise alike: one central learner that eliminates arms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/baselines/arms_test_support.h"
#include "duets/baselines/bpe/bpe.h"
#include "duets/baselines/reds/reds.h"

namespace duets::baselines {
namespace {

using base::AgentId;
using numeric::Points;
using numeric::Vector;

template <class Learner>
class CentralLearner : public testing::Test {};
using Learners = testing::Types<Reds, Bpe>;
TYPED_TEST_SUITE(CentralLearner, Learners);

// Without noise |f - mu| <= B sigma for a function of norm B, so with beta = B the best arm stays.
TYPED_TEST(CentralLearner, TheBestArmSurvivesWithoutNoise) {
  const Points points = random_points(5, 150, 2);
  const Setting setting = finite_setting(5, 100, points, 1e-3);
  const Points centers = random_points(11, 3, 2);
  Vector weights(3);
  weights << 1.0, -0.7, 0.5;
  const kernel::Kernel& kernel = setting.arms->kernel();
  const double norm = std::sqrt(weights.dot(kernel::gram(kernel, centers) * weights));
  const Vector truth = kernel::cross(kernel, points, centers) * weights;
  Eigen::Index best = 0;
  truth.maxCoeff(&best);
  TypeParam policy(setting, {.beta = norm});
  play_all(policy, setting,
           [&](AgentId, std::uint32_t, const Vector& x) { return truth[row_equal(points, x)]; });
  EXPECT_TRUE(
      std::ranges::binary_search(policy.survivors().arms(), static_cast<std::size_t>(best)));
  EXPECT_LT(policy.survivors().arms().size(), 75U);
}

// The last batch of 100 queries is one query, of BPE, and 30, of REDS: alone they say little.
TYPED_TEST(CentralLearner, RecommendsFromAllRewards) {
  const Points points = random_points(5, 150, 2);
  const Setting setting = finite_setting(5, 20, points, 1e-2);
  const Vector truth = -(points.rowwise() - Eigen::RowVector2d(0.4, 0.7)).rowwise().squaredNorm();
  Eigen::Index best = 0;
  truth.maxCoeff(&best);
  TypeParam policy(setting, {.beta = 2});
  play_all(policy, setting,
           [&](AgentId, std::uint32_t, const Vector& x) { return truth[row_equal(points, x)]; });
  EXPECT_GT(truth[row_equal(points, policy.recommend().value())], truth[best] - 0.01);
}

TYPED_TEST(CentralLearner, SmallestRunsAndRefusals) {
  const Setting one = finite_setting(1, 1, random_points(5, 1, 2));
  TypeParam single(one, {.beta = 0});
  EXPECT_EQ(play_all(single, one).size(), 1U);
  EXPECT_THROW(TypeParam(one, {.beta = -1}), base::Error);
  const Setting brief = finite_setting(7, 1, random_points(5, 30, 2));
  problems::Channel channel(7);
  TypeParam policy(brief, {.beta = 0});
  play_round(policy, 7, 0, channel);
  EXPECT_EQ(channel.ledger().totals(), base::LedgerTotals{});
}

TYPED_TEST(CentralLearner, ARunIsAFunctionOfItsSeed) {
  const auto run = [](std::uint64_t seed) {
    const Setting setting = finite_setting(3, 30, random_points(6, 80, 2), 0.2, seed);
    TypeParam policy(setting, {.beta = 0.5});
    return trace(play_all(policy, setting));
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace duets::baselines
