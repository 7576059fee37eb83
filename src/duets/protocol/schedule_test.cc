#include "duets/protocol/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

using Lengths = std::vector<std::uint32_t>;

const std::vector<ScheduleRule> kRules{ScheduleRule::kSqrtFloor, ScheduleRule::kSqrtCeil,
                                       ScheduleRule::kDoubling, ScheduleRule::kPairedDoubling,
                                       ScheduleRule::kWarmUp};

TEST(Schedule, GoldenEpochs) {
  std::ifstream file(DUETS_SOURCE_DIR "/tests/golden/epochs.json");
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GE(golden["cases"].size(), 10U);
  for (const auto& entry : golden["cases"]) {
    const auto horizon = entry["T"].get<std::uint32_t>();
    const auto t1 = entry["T1"].get<std::uint32_t>();
    const Lengths lengths = epoch_lengths(ScheduleRule::kSqrtFloor, horizon, t1);
    EXPECT_EQ(lengths, entry["lengths"].get<Lengths>()) << horizon << ", " << t1;
    const std::size_t last = lengths.size() - 1;
    const bool truncated =
        planned_length(ScheduleRule::kSqrtFloor, horizon, t1, lengths, last) > lengths[last];
    EXPECT_EQ(truncated, entry["last_is_truncated"].get<bool>()) << horizon << ", " << t1;
  }
}

TEST(Schedule, EveryRuleAtThePapersHorizon) {
  EXPECT_EQ(epoch_lengths(ScheduleRule::kSqrtFloor, 50, 2), (Lengths{2, 10, 22, 16}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kSqrtCeil, 50, 2), (Lengths{2, 10, 23, 15}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kDoubling, 50, 2), (Lengths{2, 4, 8, 16, 20}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kPairedDoubling, 50, 1),
            (Lengths{1, 1, 2, 2, 4, 4, 8, 8, 20}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kWarmUp, 50, 1), (Lengths{1, 1, 2, 2, 4, 4, 14, 22}));
}

// floor(sqrt(T T_j)) from the seventh epoch on, and a remainder that is shorter than the epoch
// before it belongs to that epoch.
TEST(Schedule, WarmUpIsPairedDoublingAndThenTheSquareRoot) {
  // sqrt(1000 4) = 63.2, sqrt(1000 63) = 250.998, sqrt(1000 250) = 500; 174 are left.
  EXPECT_EQ(epoch_lengths(ScheduleRule::kWarmUp, 1000, 1),
            (Lengths{1, 1, 2, 2, 4, 4, 63, 250, 673}));
  // sqrt(100 12) = 34.6 and 24 are left.
  EXPECT_EQ(epoch_lengths(ScheduleRule::kWarmUp, 100, 3), (Lengths{3, 3, 6, 6, 12, 12, 58}));
  // As long as the warm-up lasts it is paired doubling, the absorbed remainder included.
  for (std::uint32_t t1 = 1; t1 <= 3; ++t1) {
    for (std::uint32_t horizon = 1; horizon <= 14 * t1; ++horizon) {
      EXPECT_EQ(epoch_lengths(ScheduleRule::kWarmUp, horizon, t1),
                epoch_lengths(ScheduleRule::kPairedDoubling, horizon, t1));
    }
  }
  // Fewer than the seventh epoch asks for, but not fewer than the sixth: they stay.
  EXPECT_EQ(epoch_lengths(ScheduleRule::kWarmUp, 18, 1), (Lengths{1, 1, 2, 2, 4, 4, 4}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kWarmUp, 17, 1), (Lengths{1, 1, 2, 2, 4, 7}));
}

// The appendix: T_1 = sqrt(T / N) + M, rounded up, then the paper's rule.
TEST(Schedule, TheAppendixLengthensTheFirstEpoch) {
  const auto first = [](std::uint32_t agents, std::uint32_t horizon, std::uint32_t t1) {
    return first_length(ScheduleRule::kAppendix, agents, horizon, t1);
  };
  EXPECT_EQ(first(10, 1000, 2), 12U);  // sqrt(100) + 2
  EXPECT_EQ(first(10, 1001, 2), 13U);
  EXPECT_EQ(first(3, 1, 1), 1U) << "not beyond the horizon";
  EXPECT_EQ(first(1, 4'000'000'000U, 5), 63246U + 5);
  EXPECT_EQ(first_length(ScheduleRule::kSqrtFloor, 10, 1000, 2), 2U);
  EXPECT_EQ(epoch_lengths(ScheduleRule::kAppendix, 1000, 12),
            epoch_lengths(ScheduleRule::kSqrtFloor, 1000, 12));
  EXPECT_THROW(first(0, 10, 1), base::Error);
}

// The whole list never shrinks, the last epoch included.
TEST(Schedule, AbsorbingRulesNeverShrink) {
  for (const ScheduleRule rule :
       {ScheduleRule::kDoubling, ScheduleRule::kPairedDoubling, ScheduleRule::kWarmUp}) {
    for (std::uint32_t horizon = 1; horizon <= 300; ++horizon) {
      for (const std::uint32_t t1 : {1U, 2U, 5U, 400U}) {
        const Lengths lengths = epoch_lengths(rule, horizon, t1);
        EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end())) << horizon << ", " << t1;
      }
    }
  }
}

TEST(Schedule, DoublingAbsorbsOnlyARemainderShorterThanTheEpochBefore) {
  EXPECT_EQ(epoch_lengths(ScheduleRule::kDoubling, 6, 2), (Lengths{2, 4}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kDoubling, 9, 2), (Lengths{2, 7}));      // 3 < 4
  EXPECT_EQ(epoch_lengths(ScheduleRule::kDoubling, 10, 2), (Lengths{2, 4, 4}));  // 4 = 4 stays
  EXPECT_EQ(epoch_lengths(ScheduleRule::kSqrtFloor, 50, 5), (Lengths{5, 15, 27, 3}));
}

TEST(Schedule, FirstEpochAsLongAsTheHorizonOrLonger) {
  for (const ScheduleRule rule : kRules) {
    EXPECT_EQ(epoch_lengths(rule, 1, 1), Lengths{1});
    EXPECT_EQ(epoch_lengths(rule, 1, 4'000'000'000U), Lengths{1});
    EXPECT_EQ(epoch_lengths(rule, 7, 7), Lengths{7});
    EXPECT_EQ(epoch_lengths(rule, 7, 8), Lengths{7});
  }
  EXPECT_EQ(planned_length(ScheduleRule::kSqrtFloor, 7, 8, {7}, 0), 8U);
}

// Every rule, every small horizon and t1: lengths are positive, sum to T, start with T1, never
// shrink before the last one, and are what planned_length says but for the last one.
TEST(Schedule, LengthsSumToTheHorizonAndGrow) {
  for (const ScheduleRule rule : kRules) {
    for (std::uint32_t horizon = 1; horizon <= 60; ++horizon) {
      for (std::uint32_t t1 = 1; t1 <= 12; ++t1) {
        const Lengths lengths = epoch_lengths(rule, horizon, t1);
        ASSERT_EQ(std::accumulate(lengths.begin(), lengths.end(), 0U), horizon);
        ASSERT_TRUE(lengths.front() == t1 || lengths.size() == 1);
        for (std::size_t j = 0; j < lengths.size(); ++j) {
          ASSERT_GE(lengths[j], 1U);
          const std::uint32_t planned = planned_length(rule, horizon, t1, lengths, j);
          if (j + 1 == lengths.size()) {
            ASSERT_GE(planned, lengths[j]);
          } else {
            ASSERT_EQ(planned, lengths[j]);
            ASSERT_TRUE(j == 0 || lengths[j] >= lengths[j - 1]);
          }
        }
      }
    }
  }
}

// sqrt(T T_j) of numbers that binary64 cannot hold: T = (2^31 + 1), T_1 = 1 has exact answers by
// integer arithmetic, and the largest horizon ends.
TEST(Schedule, ExactAtTheEndOfTheRange) {
  const std::uint32_t largest = 0xFFFFFFFFU;
  for (const ScheduleRule rule : kRules) {
    const Lengths lengths = epoch_lengths(rule, largest, 1);
    std::uint64_t sum = 0;
    for (const std::uint32_t length : lengths) sum += length;
    EXPECT_EQ(sum, largest);
    EXPECT_LT(lengths.size(), 80U);
  }
  // floor(sqrt((2^32 - 1) (2^32 - 2))) = 2^32 - 2 and its ceiling 2^32 - 1.
  EXPECT_EQ(planned_length(ScheduleRule::kSqrtFloor, largest, 1, {largest - 1, 1}, 1), largest - 1);
  EXPECT_EQ(planned_length(ScheduleRule::kSqrtCeil, largest, 1, {largest - 1, 1}, 1), largest);
  // Squares are not rounded up.
  EXPECT_EQ(epoch_lengths(ScheduleRule::kSqrtCeil, 100, 1), (Lengths{1, 10, 32, 57}));
}

TEST(Schedule, RefusesZerosAndTheRuleWithoutARule) {
  for (const ScheduleRule rule : kRules) {
    EXPECT_THROW(epoch_lengths(rule, 0, 1), base::Error);
    EXPECT_THROW(epoch_lengths(rule, 1, 0), base::Error);
  }
  EXPECT_THROW(epoch_lengths(ScheduleRule::kExplicit, 5, 1), base::Error);
  EXPECT_THROW(epoch_lengths(ScheduleRule::kExplicit, 1, 1), base::Error);
}

TEST(Schedule, Names) {
  EXPECT_EQ(base::name_of(ScheduleRule::kSqrtFloor), "sqrt-floor");
  EXPECT_EQ(base::name_of(ScheduleRule::kSqrtCeil), "sqrt-ceil");
  EXPECT_EQ(base::name_of(ScheduleRule::kDoubling), "doubling");
  EXPECT_EQ(base::name_of(ScheduleRule::kPairedDoubling), "paired-doubling");
  EXPECT_EQ(base::name_of(ScheduleRule::kExplicit), "explicit");
  EXPECT_EQ(base::name_of(ScheduleRule::kWarmUp), "warm-up");
}

}  // namespace
}  // namespace duets::protocol
