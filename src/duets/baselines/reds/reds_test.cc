#include "duets/baselines/reds/reds.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "duets/base/error.h"
#include "duets/baselines/arms_test_support.h"
#include "duets/gp/exact.h"

namespace duets::baselines {
namespace {

using base::AgentId;
using numeric::Points;
using numeric::Vector;

TEST(Survivors, KeepsWhatReachesTheLargestLowerBound) {
  Survivors survivors(4);
  Vector mean(4);
  mean << 1.0, 0.0, 0.5, -3.0;
  Vector variance(4);
  variance << 0.25, 0.25, 0.0, 16.0;
  // beta = 1: bounds [.5, 1.5], [-.5, .5], [.5, .5], [-7, 1]; equality keeps.
  survivors.cut(mean, variance, 1);
  EXPECT_EQ(survivors.arms(), (std::vector<std::size_t>{0, 1, 2, 3}));
  mean[1] -= 1e-9;
  survivors.cut(mean, variance, 1);
  EXPECT_EQ(survivors.arms(), (std::vector<std::size_t>{0, 2, 3}));
  // An arm that was cut does not come back, and its lower bound eliminates no other arm.
  mean[1] = 100;
  survivors.cut(mean, variance, 1);
  EXPECT_EQ(survivors.arms(), (std::vector<std::size_t>{0, 2, 3}));
  survivors.cut(mean, variance, 0);
  EXPECT_EQ(survivors.arms(), (std::vector<std::size_t>{0}));
  EXPECT_THROW(Survivors(0), base::Error);
}

TEST(Reds, EpochsDoubleAndSumToTheTotal) {
  EXPECT_EQ(reds_epochs(500), (std::vector<std::uint64_t>{23, 46, 92, 184, 155}));
  for (std::uint64_t total = 1; total < 2000; ++total) {
    const auto lengths = reds_epochs(total);
    EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}), total);
    for (std::size_t r = 1; r + 1 < lengths.size(); ++r) {
      EXPECT_EQ(lengths[r], 2 * lengths[r - 1]);
    }
  }
}

// Every epoch, independently: its queries are arms that survived, its data alone decide who goes,
// by UCB >= max LCB.
TEST(Reds, CutsByTheEpochsOwnDataAndNeverPlaysAnEliminatedArm) {
  const Points points = random_points(5, 120, 2);
  const Setting setting = finite_setting(4, 50, points);
  const double beta = 0.5;
  Reds policy(setting, {.beta = beta});
  const std::vector<Query> queries = play_all(policy, setting);
  std::vector<std::size_t> alive(120);
  std::iota(alive.begin(), alive.end(), std::size_t{0});
  std::size_t first = 0;
  const auto lengths = reds_epochs(200);
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    const std::vector<Query> epoch(
        queries.begin() + static_cast<std::ptrdiff_t>(first),
        queries.begin() + static_cast<std::ptrdiff_t>(first + lengths[r]));
    first += lengths[r];
    for (const Query& query : epoch) {
      const auto arm = static_cast<std::size_t>(row_equal(points, query.x));
      EXPECT_TRUE(std::ranges::binary_search(alive, arm));
    }
    if (r + 1 == lengths.size()) break;
    const auto [data, rewards] = data_of(epoch);
    const gp::ExactPosterior exact(setting.arms->kernel(), data, Vector(), setting.lambda);
    const Vector mean = exact.mean(points, rewards);
    const Vector width = beta * exact.variance(points).variance.array().sqrt();
    double best = -1e300;
    for (const std::size_t arm : alive) {
      const auto i = static_cast<Eigen::Index>(arm);
      best = std::max(best, mean[i] - width[i]);
    }
    std::erase_if(alive, [&](std::size_t arm) {
      const auto i = static_cast<Eigen::Index>(arm);
      return mean[i] + width[i] < best;
    });
  }
  EXPECT_LT(alive.size(), 60U);
  EXPECT_EQ(policy.survivors().arms(), alive);
}

// 40 arms, first epoch of 800 draws (total 640000): each arm's count is binomial, mean 20,
// deviation 4.4; beyond 5.5 deviations (below 1 or above 44) for any of 40 arms: below 1e-5.
TEST(Reds, DrawsUniformly) {
  const Setting setting = finite_setting(800, 800, random_points(5, 40, 2));
  Reds policy(setting, {.beta = 1});
  std::vector<int> counts(40, 0);
  for (std::uint32_t a = 0; a < 800; ++a) {
    ++counts[static_cast<std::size_t>(row_equal(setting.latents, policy.choose(AgentId{a}, 0)))];
    if (a + 1 < 800) policy.learn(AgentId{a}, 0, 0.0);
  }
  EXPECT_GE(*std::ranges::min_element(counts), 1);
  EXPECT_LE(*std::ranges::max_element(counts), 44);
}

}  // namespace
}  // namespace duets::baselines
