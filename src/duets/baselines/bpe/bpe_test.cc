#include "duets/baselines/bpe/bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "duets/base/error.h"
#include "duets/baselines/arms_test_support.h"
#include "duets/gp/exact.h"

namespace duets::baselines {
namespace {

using base::AgentId;
using numeric::Points;
using numeric::Vector;

TEST(Bpe, BatchesFollowTheRuleAndSumToTheTotal) {
  EXPECT_EQ(bpe_batches(500), (std::vector<std::uint64_t>{23, 108, 233, 136}));
  EXPECT_EQ(bpe_batches(1), (std::vector<std::uint64_t>{1}));
  for (std::uint64_t total = 1; total < 2000; ++total) {
    const auto lengths = bpe_batches(total);
    EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}), total);
  }
}

// Replays a run with naive means: every query has the largest exact variance, given the batch so
// far, among the arms that are left; after a batch its data alone decide who is left. Ties apart
// (1e-12, rounding of two ways to the same variance).
TEST(Bpe, PlaysTheLargestVarianceAmongTheSurvivors) {
  const Points points = random_points(5, 60, 2);
  const Setting setting = finite_setting(3, 40, points);
  const double beta = 0.5;
  Bpe policy(setting, {.beta = beta});
  const std::vector<Query> queries = play_all(policy, setting);
  std::vector<std::size_t> alive(60);
  std::iota(alive.begin(), alive.end(), std::size_t{0});
  std::size_t first = 0;
  const auto lengths = bpe_batches(120);
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    std::vector<Query> batch;
    Vector variance = Vector::Ones(60);
    for (std::size_t s = first; s < first + lengths[r]; ++s) {
      const auto arm = static_cast<std::size_t>(row_equal(points, queries[s].x));
      EXPECT_TRUE(std::ranges::binary_search(alive, arm));
      double largest = 0;
      for (const std::size_t i : alive) {
        largest = std::max(largest, variance[static_cast<Eigen::Index>(i)]);
      }
      EXPECT_GE(variance[static_cast<Eigen::Index>(arm)], largest - 1e-12);
      batch.push_back(queries[s]);
      const gp::ExactPosterior exact(setting.arms->kernel(), data_of(batch).first, Vector(),
                                     setting.lambda);
      variance = exact.variance(points).variance;
    }
    first += lengths[r];
    if (r + 1 == lengths.size()) break;
    const auto [data, rewards] = data_of(batch);
    const gp::ExactPosterior exact(setting.arms->kernel(), data, Vector(), setting.lambda);
    const Vector mean = exact.mean(points, rewards);
    const Vector width = beta * variance.array().sqrt();
    double best = -1e300;
    for (const std::size_t i : alive) {
      best =
          std::max(best, mean[static_cast<Eigen::Index>(i)] - width[static_cast<Eigen::Index>(i)]);
    }
    std::erase_if(alive, [&](std::size_t i) {
      return mean[static_cast<Eigen::Index>(i)] + width[static_cast<Eigen::Index>(i)] < best;
    });
  }
  EXPECT_LT(alive.size(), 30U);
  EXPECT_EQ(policy.survivors().arms(), alive);
}

// As for REDS: without noise |f - mu| <= B sigma, so with beta = B the best arm stays.
TEST(Bpe, TheBestArmSurvivesWithoutNoise) {
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
  Bpe policy(setting, {.beta = norm});
  play_all(policy, setting,
           [&](AgentId, std::uint32_t, const Vector& x) { return truth[row_equal(points, x)]; });
  EXPECT_TRUE(
      std::ranges::binary_search(policy.survivors().arms(), static_cast<std::size_t>(best)));
  EXPECT_LT(policy.survivors().arms().size(), 75U);
}

// On a box the pool stands for the domain: every query is one of its points.
TEST(Bpe, PlaysOnThePoolOfAContinuousDomain) {
  Setting setting = finite_setting(2, 20, random_points(6, 60, 2));
  setting.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  for (const Query& query : play_all(*make_bpe(setting, {.beta = 1}), setting)) {
    EXPECT_GE(row_equal(setting.latents, query.x), 0);
  }
}

TEST(Bpe, SmallestRunsAndRefusals) {
  const Setting one = finite_setting(1, 1, random_points(5, 1, 2));
  EXPECT_EQ(play_all(*make_bpe(one, {.beta = 0}), one).size(), 1U);
  EXPECT_THROW(make_bpe(one, {.beta = -1}), base::Error);
  const Setting brief = finite_setting(7, 1, random_points(5, 30, 2));
  problems::Channel channel(7);
  const auto policy = make_bpe(brief, {.beta = 0});
  play_round(*policy, 7, 0, channel);
  EXPECT_EQ(channel.ledger().totals(), problems::LedgerTotals{});
}

TEST(Bpe, ARunIsAFunctionOfItsSeed) {
  const auto run = [](std::uint64_t seed) {
    const Setting setting = finite_setting(3, 30, random_points(6, 80, 2), 0.2, seed);
    return trace(play_all(*make_bpe(setting, {.beta = 0.5}), setting));
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

}  // namespace
}  // namespace duets::baselines
