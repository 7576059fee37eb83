#include "duets/harness/thinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace duets::harness {
namespace {

std::uint64_t count_kept(const QueryThinning& thinning, std::uint32_t agents,
                         std::uint64_t horizon) {
  std::uint64_t kept = 0;
  for (std::uint32_t a = 0; a < agents; ++a) {
    for (std::uint64_t t = 0; t < horizon; ++t) kept += thinning.keeps(a, t) ? 1 : 0;
  }
  return kept;
}

TEST(Thinning, NoneAllAndTheSmallestStride) {
  EXPECT_EQ(count_kept({0}, 3, 7), 0U);
  EXPECT_EQ(count_kept({1}, 3, 7), 21U);
  EXPECT_EQ(thinned_to(10, 10).stride, 1U);
  EXPECT_EQ(thinned_to(11, 10).stride, 2U);
  EXPECT_EQ(thinned_to(20, 10).stride, 2U);
  EXPECT_EQ(thinned_to(1, 10).stride, 1U);
  EXPECT_EQ(thinned_to(0, 10).stride, 1U);
}

// The kept queries are evenly spread over agents and times: two such counts differ by at most one.
// So the total is within agents (or horizon) of the share.
TEST(Thinning, EveryAgentAndEveryTimeHasItsShare) {
  for (const std::uint32_t agents : {1U, 7U, 40U}) {
    for (const std::uint64_t horizon : {1U, 30U, 101U}) {
      const QueryThinning thinning = thinned_to(agents * horizon, 25);
      for (std::uint32_t a = 0; a < agents; ++a) {
        std::uint64_t kept = 0;
        for (std::uint64_t t = 0; t < horizon; ++t) kept += thinning.keeps(a, t) ? 1 : 0;
        EXPECT_GE(kept, horizon / thinning.stride);
        EXPECT_LE(kept, horizon / thinning.stride + 1);
      }
      for (std::uint64_t t = 0; t < horizon; ++t) {
        std::uint64_t kept = 0;
        for (std::uint32_t a = 0; a < agents; ++a) kept += thinning.keeps(a, t) ? 1 : 0;
        EXPECT_GE(kept, agents / thinning.stride);
        EXPECT_LE(kept, agents / thinning.stride + 1);
      }
    }
  }
}

TEST(ShownTimes, ShortCurvesAreWhole) {
  for (const std::size_t horizon : {std::size_t{1}, std::size_t{12}, kMaxShownTimes}) {
    std::vector<std::size_t> all(horizon);
    std::iota(all.begin(), all.end(), 1U);
    EXPECT_EQ(shown_times(horizon, std::vector<std::uint32_t>{1}), all);
  }
  EXPECT_TRUE(shown_times(0, {}).empty());
}

TEST(ShownTimes, LongCurvesKeepFirstLastAndEpochEnds) {
  const std::vector<std::uint32_t> lengths{2, 141, 1187, 3445, 5228};
  const std::size_t horizon = 10003;
  const std::vector<std::size_t> times = shown_times(horizon, lengths);
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(std::adjacent_find(times.begin(), times.end()), times.end());
  EXPECT_LE(times.size(), kMaxShownTimes + 2 + lengths.size());
  EXPECT_GE(times.size(), kMaxShownTimes / 2);
  EXPECT_EQ(times.front(), 1U);
  EXPECT_EQ(times.back(), horizon);
  std::size_t end = 0;
  for (const std::uint32_t length : lengths) {
    end += length;
    EXPECT_TRUE(std::binary_search(times.begin(), times.end(), end)) << end;
  }
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_LE(times[i] - times[i - 1], 6U);
}

// An epoch that a run did not reach.
TEST(ShownTimes, EpochsBeyondTheCurveAreOmitted) {
  EXPECT_EQ(shown_times(3000, std::vector<std::uint32_t>{2000, 2000}).back(), 3000U);
}

}  // namespace
}  // namespace duets::harness
