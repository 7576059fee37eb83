#include "duets/baselines/recommendation.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "duets/base/error.h"
#include "duets/baselines/approx_dis_kernel_ucb/approx_dis_kernel_ucb.h"
#include "duets/baselines/arms_test_support.h"
#include "duets/baselines/bpe/bpe.h"
#include "duets/baselines/dis_kernel_ucb/dis_kernel_ucb.h"
#include "duets/baselines/gp_ucb/gp_ucb.h"
#include "duets/baselines/n_kernel_ucb/n_kernel_ucb.h"
#include "duets/baselines/reds/reds.h"
#include "duets/baselines/uniform/uniform.h"
#include "duets/gp/exact.h"

namespace duets::baselines {
namespace {

double top_of(const numeric::Vector& x) { return std::exp(-4 * (x.array() - 0.3).square().sum()); }

double exact_reward(base::AgentId /*agent*/, std::uint32_t /*t*/, const numeric::Vector& x) {
  return top_of(x);
}

const std::map<std::string, MakePolicy>& learners() {
  static const std::map<std::string, MakePolicy> all{
      {"approx-dis-kernel-ucb", make_approx_dis_kernel_ucb},
      {"bpe", make_bpe},
      {"dis-kernel-ucb", make_dis_kernel_ucb},
      {"gp-ucb", make_gp_ucb},
      {"n-kernel-ucb", make_n_kernel_ucb},
      {"reds", make_reds}};
  return all;
}

// 4 x 40 queries without noise of a function that is smooth at the scale of the kernel: all of them
// know where its upper tenth is.
TEST(Recommendation, EveryLearnerFindsAGoodArm) {
  const Setting setting = finite_setting(4, 40, random_points(31, 100, 2), 0.01);
  double best = 0;
  for (Eigen::Index i = 0; i < 100; ++i) best = std::max(best, top_of(setting.latents.row(i)));
  for (const auto& [name, make] : learners()) {
    const auto policy = make(setting, {.beta = 0.5});
    play_all(*policy, setting, exact_reward);
    const std::optional<numeric::Vector> point = policy->recommend();
    ASSERT_TRUE(point) << name;
    EXPECT_GE(row_equal(setting.latents, *point), 0) << name;
    EXPECT_GT(top_of(*point), best - 0.1) << name;
  }
  EXPECT_FALSE(make_uniform(setting, {})->recommend());
}

// On a box the point need not be an arm, but must lie inside.
TEST(Recommendation, OnABoxItLiesInside) {
  Setting setting = finite_setting(3, 12, random_points(31, 100, 2), 0.01);
  setting.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  for (const auto& [name, make] : learners()) {
    const auto policy = make(setting, {.beta = 0.5});
    play_all(*policy, setting, exact_reward);
    const numeric::Vector point = policy->recommend().value();
    EXPECT_TRUE(setting.domain->contains({point.data(), 2})) << name;
    EXPECT_GT(top_of(point), 0.8) << name;
  }
}

// No two arms are the same, rewards are continuous: the maximiser is one arm.
TEST(Recommendation, OfGpUcbIsTheMaximiserOfItsMean) {
  const Setting setting = finite_setting(4, 15, random_points(31, 80, 2));
  const auto policy = make_gp_ucb(setting, {.beta = 1});
  const auto [points, rewards] = data_of(play_all(*policy, setting));
  const gp::ExactPosterior exact(setting.arms->kernel(), points, {}, setting.lambda);
  Eigen::Index best = 0;
  exact.mean(setting.latents, rewards).maxCoeff(&best);
  EXPECT_EQ(row_equal(setting.latents, policy->recommend().value()), best);
}

TEST(Recommendation, TheLearnerWithTheLargestMeanSpeaks) {
  const Setting setting = finite_setting(1, 1, random_points(1, 3, 1));
  const numeric::Vector low = numeric::Vector::LinSpaced(3, 0, 2);
  const numeric::Vector high = -low.array() + 3;
  const std::vector<MeanView> learners{{&low}, {&high}, {&low}};
  const numeric::Vector point = best_mean(Acquisition(setting), 1, learners);
  EXPECT_EQ(row_equal(setting.latents, point), 0);
  EXPECT_THROW(best_mean(Acquisition(setting), 1, {}), base::Error);
}

}  // namespace
}  // namespace duets::baselines
