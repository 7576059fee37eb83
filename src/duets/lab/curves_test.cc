#include "duets/lab/curves.h"

#include <gtest/gtest.h>

namespace duets::lab {
namespace {

TEST(CurveTimes, AllOfAShortHorizon) {
  EXPECT_EQ(curve_times(1), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(curve_times(3), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(curve_times(kMaxCurveEntries).size(), kMaxCurveEntries);
}

TEST(CurveTimes, ThinnedEvenlyAndEndsAtTheHorizon) {
  for (const std::uint32_t horizon : {401U, 799U, 12800U, 4000000000U}) {
    const std::vector<std::uint32_t> times = curve_times(horizon);
    EXPECT_LE(times.size(), kMaxCurveEntries + 1);
    EXPECT_GE(times.size(), kMaxCurveEntries / 2);
    EXPECT_EQ(times.back(), horizon);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_LT(times[i - 1], times[i]);
  }
}

}  // namespace
}  // namespace duets::lab
