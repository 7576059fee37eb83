#include "duets/protocol/model_check.h"

#include <gtest/gtest.h>

namespace duets::protocol {
namespace {

EpochReport report(std::uint32_t epoch, double surprise, std::uint32_t length = 4) {
  EpochReport report;
  report.epoch = base::EpochId{epoch};
  report.num_participants = 10;
  report.length = length;
  report.num_holes = 1;
  report.surprise = surprise;
  return report;
}

TEST(ModelCheck, UsesTheWorstPredictedEpoch) {
  EXPECT_FALSE(check_model({}));
  EXPECT_FALSE(check_model({report(1, 0)}));
  const auto check = check_model({report(1, 0), report(2, 0.5), report(3, 1.44), report(4, 0)});
  ASSERT_TRUE(check);
  EXPECT_EQ(check->epoch, base::EpochId{2});
  EXPECT_EQ(check->num_epochs, 2U);
  EXPECT_EQ(check->num_rewards, 39U);
  EXPECT_TRUE(check->fits);
  EXPECT_EQ(model_check_text(*check),
            "39 rewards of epoch 2 lay 0.71 times as far from their prediction as the model "
            "expects, the worst of 2 epochs that were predicted");
  EXPECT_EQ(check_model({report(2, 9), report(3, 1.44)})->epoch, base::EpochId{2});
  EXPECT_FALSE(check_model({report(2, 9), report(3, 1.44)})->fits) << "an early misfit counts";
}

TEST(ModelCheck, EpochsThatCanDecideComeFirst) {
  const auto check = check_model({report(2, 30, 1), report(3, 1.5), report(4, 50, 1)});
  EXPECT_EQ(check->epoch, base::EpochId{3});
  EXPECT_EQ(check->num_epochs, 3U);
  EXPECT_EQ(check_model({report(2, 30, 1), report(3, 2, 1)})->epoch, base::EpochId{2});
}

TEST(ModelCheck, FarOffDoesNotFit) {
  EXPECT_FALSE(check_model({report(2, 5)})->fits);
  EXPECT_FALSE(check_model({report(2, 0.2)})->fits);
  EXPECT_TRUE(check_model({report(2, 3.9)})->fits);
  EXPECT_TRUE(check_model({report(2, 5, 1)})->fits) << "nine rewards are too few to tell";
  EXPECT_NE(model_check_text(*check_model({report(2, 5)})).find("kernel.name = \"matern-3/2\""),
            std::string::npos);
}

}  // namespace
}  // namespace duets::protocol
