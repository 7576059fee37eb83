#include "duets/baselines/uniform/uniform.h"

#include <gtest/gtest.h>

#include <vector>

#include "duets/baselines/arms_test_support.h"

namespace duets::baselines {
namespace {

// 4000 queries of 10 arms: chi-squared with 9 degrees of freedom exceeds 40 with a chance of 8e-6;
// the seed is fixed.
TEST(Uniform, PlaysAllArmsAlike) {
  const Setting setting = finite_setting(8, 500, random_points(41, 10, 2));
  const auto policy = make_uniform(setting, {});
  std::vector<double> count(10);
  for (const Query& query : play_all(*policy, setting)) {
    count.at(static_cast<std::size_t>(row_equal(setting.latents, query.x))) += 1;
  }
  double chi_squared = 0;
  for (const double c : count) chi_squared += (c - 400) * (c - 400) / 400;
  EXPECT_LT(chi_squared, 40);
}

TEST(Uniform, ARunIsAFunctionOfItsCoinAndOfNoReward) {
  const Setting setting = finite_setting(3, 20, random_points(41, 50, 2));
  const auto play = [](const Setting& given, const Reward& reward) {
    return trace(play_all(*make_uniform(given, {}), given, reward));
  };
  const auto one = [](base::AgentId, std::uint32_t, const numeric::Vector&) { return 1.0; };
  const auto first = play(setting, noisy_reward);
  EXPECT_EQ(first, play(setting, one));
  EXPECT_NE(first, play(finite_setting(3, 20, setting.latents, 0.2, 8), one));
}

TEST(Uniform, NothingIsSent) {
  const Setting setting = finite_setting(3, 1, random_points(41, 20, 2));
  const auto policy = make_uniform(setting, {});
  problems::Channel channel(3);
  play_round(*policy, 3, 0, channel);
  EXPECT_EQ(channel.ledger().totals(), base::LedgerTotals{});
}

}  // namespace
}  // namespace duets::baselines
