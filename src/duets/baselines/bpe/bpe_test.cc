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

// On a box the pool replaces the domain: every query is one of its points.
TEST(Bpe, PlaysOnThePoolOfAContinuousDomain) {
  Setting setting = finite_setting(2, 20, random_points(6, 60, 2));
  setting.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  for (const Query& query : play_all(*make_bpe(setting, {.beta = 1}), setting)) {
    EXPECT_GE(row_equal(setting.latents, query.x), 0);
  }
}

}  // namespace
}  // namespace duets::baselines
