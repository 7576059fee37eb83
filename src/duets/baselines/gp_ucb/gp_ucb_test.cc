#include "duets/baselines/gp_ucb/gp_ucb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "duets/base/error.h"
#include "duets/baselines/acquisition.h"
#include "duets/baselines/arms_test_support.h"
#include "duets/baselines/n_kernel_ucb/n_kernel_ucb.h"
#include "duets/gp/exact.h"

namespace duets::baselines {
namespace {

// No two arms are the same and rewards are continuous: no ties; the gap says that rounding decided
// nothing.
TEST(GpUcb, EveryQueryKnowsAllRewardsBeforeIt) {
  const Setting setting = finite_setting(4, 15, random_points(31, 80, 2));
  const auto policy = make_gp_ucb(setting, {.beta = 1});
  std::vector<Query> known;
  for (const Query& query : play_all(*policy, setting)) {
    if (!known.empty()) {
      const auto [points, rewards] = data_of(known);
      const gp::ExactPosterior exact(setting.arms->kernel(), points, {}, setting.lambda);
      numeric::Vector bound = confidence_bound(exact.mean(setting.latents, rewards),
                                               exact.variance(setting.latents).variance, 1.0);
      Eigen::Index best = 0;
      const double top = bound.maxCoeff(&best);
      EXPECT_EQ(row_equal(setting.latents, query.x), best);
      bound[best] = -1e9;
      EXPECT_GT(top - bound.maxCoeff(), 1e-9);
    }
    known.push_back(query);
  }
}

TEST(GpUcb, OneAgentIsNKernelUcb) {
  const Setting setting = finite_setting(1, 40, random_points(32, 60, 3));
  const auto central = make_gp_ucb(setting, {.beta = 0.5});
  const auto alone = make_n_kernel_ucb(setting, {.beta = 0.5});
  EXPECT_EQ(trace(play_all(*central, setting)), trace(play_all(*alone, setting)));
}

TEST(GpUcb, NothingIsSent) {
  const Setting setting = finite_setting(3, 1, random_points(33, 20, 2));
  const auto policy = make_gp_ucb(setting, {.beta = 1});
  problems::Channel channel(3);
  for (std::uint32_t t = 0; t < 10; ++t) play_round(*policy, 3, t, channel);
  EXPECT_EQ(channel.ledger().totals(), base::LedgerTotals{});
}

TEST(GpUcb, RefusesBadTuning) {
  const Setting setting = finite_setting(1, 1, random_points(1, 5, 1));
  EXPECT_THROW(make_gp_ucb(setting, {.beta = std::nan("")}), base::Error);
}

}  // namespace
}  // namespace duets::baselines
