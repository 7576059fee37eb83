#include "duets/protocol/outlook.h"

#include <gtest/gtest.h>

#include "duets/protocol/preset.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

// What can be gained after the rewards 1 - 4 (x - 0.3)^2 on a grid of [0, high], under a model of
// deviation 1, length scale 0.2 and a noise of deviation 0.1.
Missed outlook_after(double high) {
  constexpr Eigen::Index kRows = 41;
  Study study = small_study(domain::Domain::box(1));
  apply_preset(*find_preset("auto"), study);
  study.agents = 4;
  study.horizon = 14;
  TestRun run(study);
  EpochReport report;
  report.epoch = EpochId{1};
  report.kernel.lengthscales = {0.2};
  report.lambda = 0.01;
  Measured measured{numeric::Points(kRows, 1), numeric::Vector(kRows)};
  for (Eigen::Index i = 0; i < kRows; ++i) {
    const double x = high * static_cast<double>(i) / (kRows - 1);
    measured.latents(i, 0) = x;
    measured.rewards[i] = 1 - 4 * (x - 0.3) * (x - 0.3);
  }
  return outlook(study, run.coordinator().view(), report, measured, kTestExecutor);
}

// The posterior deviation anywhere is below 0.06 (seven rewards within a length scale): the best of
// all points is better than the answer by less than that.
TEST(Outlook, RewardsEverywhereLeaveLittleToGain) {
  const Missed missed = outlook_after(1);
  EXPECT_GE(missed.expected, 0);
  EXPECT_LT(missed.expected, 0.06);
  EXPECT_LT(missed.chance, 0.5);
}

// From 0.4 to 1 there are three length scales of which nothing is known. Of three independent
// normals one is above 1.1 with probability 0.36, and their largest is above the known 1 by 0.25 on
// average; half of that is left for what their dependence takes.
TEST(Outlook, AnUnmeasuredPartMayHoldMore) {
  const Missed missed = outlook_after(0.4);
  EXPECT_GT(missed.expected, 0.12);
  EXPECT_GT(missed.chance, 0.18);
}

}  // namespace
}  // namespace duets::protocol
