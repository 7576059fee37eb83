#include "duets/baselines/n_kernel_ucb/n_kernel_ucb.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "duets/base/error.h"
#include "duets/baselines/acquisition.h"
#include "duets/baselines/arms_test_support.h"
#include "duets/gp/exact.h"

namespace duets::baselines {
namespace {

using numeric::Points;
using numeric::Vector;

/// Arm of the largest bound of the exact posterior, refitted; `gap` falls to its lead if smaller.
Eigen::Index naive_argmax(const Setting& setting, const std::vector<Query>& known, double beta,
                          double& gap) {
  const auto [points, rewards] = data_of(known);
  const gp::ExactPosterior posterior(setting.arms->kernel(), points, {}, setting.lambda);
  Vector bound = confidence_bound(posterior.mean(setting.latents, rewards),
                                  posterior.variance(setting.latents).variance, beta);
  Eigen::Index best = 0;
  const double top = bound.maxCoeff(&best);
  bound[best] = -1e9;
  gap = std::min(gap, top - bound.maxCoeff());
  return best;
}

// Rewards are continuous and no two arms are the same, so ties have probability 0; the gap says
// that rounding decided nothing.
TEST(NKernelUcb, EveryAgentIsGpUcbOnItsOwnRewards) {
  const Setting setting = finite_setting(3, 20, random_points(11, 60, 2));
  for (const double beta : {0.0, 0.5, 3.0}) {
    const auto policy = make_n_kernel_ucb(setting, {.beta = beta});
    problems::Channel channel(3);
    std::vector<std::vector<Query>> known(3);
    double gap = 1;
    for (std::uint32_t t = 0; t < setting.horizon; ++t) {
      for (const Query& query : play_round(*policy, 3, t, channel)) {
        std::vector<Query>& own = known[base::value(query.agent)];
        if (t > 0) {
          EXPECT_EQ(row_equal(setting.latents, query.x), naive_argmax(setting, own, beta, gap));
        }
        own.push_back(query);
      }
    }
    EXPECT_GT(gap, 1e-9) << "beta " << beta;
    EXPECT_EQ(channel.ledger().totals(), base::LedgerTotals{});
  }
}

TEST(NKernelUcb, FirstArmsAreDrawnPerAgent) {
  const Setting setting = finite_setting(20, 1, random_points(11, 60, 2));
  const auto policy = make_n_kernel_ucb(setting, {.beta = 1});
  std::set<Eigen::Index> arms;
  for (const Query& query : play_all(*policy, setting)) {
    arms.insert(row_equal(setting.latents, query.x));
  }
  EXPECT_GT(arms.size(), 10U);  // 20 draws of 60: by chance 10 or fewer with less than 1e-4
}

TEST(NKernelUcb, NeitherFewNorManyCoordinatesNorATinyLambdaHurt) {
  for (const Eigen::Index d : {1, 50}) {
    for (const double lambda : {1e-6, 0.2}) {
      const Setting setting = finite_setting(2, 30, random_points(5, 40, d), lambda);
      const auto policy = make_n_kernel_ucb(setting, {.beta = 1});
      for (const Query& query : play_all(*policy, setting)) {
        EXPECT_GE(row_equal(setting.latents, query.x), 0);
      }
    }
  }
}

// The kernel sees one point eight times: every query is an exact tie, broken at random. 200 draws
// miss one of eight with a chance below 1e-10.
TEST(NKernelUcb, DuplicateCandidatesAreTies) {
  Setting setting = finite_setting(1, 200, Points::Constant(8, 2, 0.5));
  setting.latents = random_points(1, 8, 2);
  const auto policy = make_n_kernel_ucb(setting, {.beta = 1});
  std::set<Eigen::Index> arms;
  for (const Query& query : play_all(*policy, setting)) {
    arms.insert(row_equal(setting.latents, query.x));
  }
  EXPECT_EQ(arms.size(), 8U);
}

TEST(NKernelUcb, OnABoxItLeavesThePool) {
  Setting setting = finite_setting(2, 6, random_points(3, 30, 2));
  setting.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  const auto policy = make_n_kernel_ucb(setting, {.beta = 1});
  int off = 0;
  for (const Query& query : play_all(*policy, setting)) {
    EXPECT_TRUE(setting.domain->contains({query.x.data(), 2}));
    if (query.t == 0) {
      EXPECT_GE(row_equal(setting.latents, query.x), 0);
    }
    off += row_equal(setting.latents, query.x) < 0 ? 1 : 0;
  }
  EXPECT_GT(off, 5);
}

TEST(NKernelUcb, RefusesBadTuning) {
  const Setting setting = finite_setting(1, 1, random_points(1, 5, 1));
  EXPECT_THROW(make_n_kernel_ucb(setting, {.beta = -1}), base::Error);
  EXPECT_THROW(make_n_kernel_ucb(setting, {.beta = std::nan("")}), base::Error);
}

}  // namespace
}  // namespace duets::baselines
