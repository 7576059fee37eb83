#include "duets/protocol/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "duets/numeric/rows.h"
#include "duets/protocol/run_test_support.h"
#include "duets/protocol/short_weights.h"

namespace duets::protocol {
namespace {

const random::Coin kRoundingCoin = random::StudySecret::from_seed(3).agent_coin(AgentId{1});

base::Bytes short_bytes(double number) {
  BitWriter out;
  write_short(out, number);
  return out.take();
}

base::Bytes list_bytes(const RoundedNumbers& rounded) {
  BitWriter out;
  write_numbers(out, rounded.numbers, rounded.format);
  return out.take();
}

std::vector<double> read_list(const base::Bytes& bytes) {
  BitReader in(bytes);
  NumberFormat format{Numbers::kShort, std::nullopt};
  std::vector<double> numbers = read_numbers(in, format);
  in.expect_end();
  return numbers;
}

TEST(ShortNumbers, EveryFiniteNumberIsExact) {
  for (const double number : {0.0, 1.0, -1.0, 0.1, 1e300, -1e-300, 5e-324, 0x1p1023, 3.0, 1e9}) {
    const base::Bytes bytes = short_bytes(number);
    BitReader in(bytes);
    EXPECT_EQ(read_short(in), number);
    in.expect_end();
  }
  EXPECT_EQ(short_bytes(0.5).size(), 2U);
  EXPECT_EQ(error_kind([] { short_bytes(std::nan("")); }), base::ErrorKind::kInvalid);
}

TEST(ShortNumbers, NoBitsAreANumberThatIsNotFinite) {
  const auto refused = [](std::uint64_t width, std::uint64_t middle, std::int64_t exponent) {
    BitWriter out;
    out.count(width, 3);
    out.flag(false);
    if (width > 2) out.bits(middle, static_cast<int>(width) - 2);
    out.integer(exponent, 3);
    const base::Bytes bytes = out.take();
    BitReader in(bytes);
    return error_kind([&] { read_short(in); }) == base::ErrorKind::kDecode;
  };
  EXPECT_FALSE(refused(1, 0, 1023));
  EXPECT_TRUE(refused(1, 0, 1024));
  EXPECT_TRUE(refused(2, 0, 1023));
  EXPECT_FALSE(refused(1, 0, -1074));
  EXPECT_TRUE(refused(1, 0, -1075));
  EXPECT_TRUE(refused(3, 0, -1075));
  EXPECT_TRUE(refused(1, 0, 1000000));
  EXPECT_FALSE(refused(53, 0, 0));
  EXPECT_TRUE(refused(54, 0, 0));
}

TEST(ShortNumbers, ScalesHaveFourBits) {
  for (const double number : {8.0, 0.9375, 0x1p-1000 * 11, 0x1p900 * 13}) {
    BitWriter out;
    write_scale(out, number);
    const base::Bytes bytes = out.take();
    BitReader in(bytes);
    EXPECT_EQ(read_scale(in), number);
  }
  BitWriter one;
  write_scale(one, 0.25);
  EXPECT_EQ(one.take().size(), 1U);
  BitWriter out;
  for (const double number : {0.0, -1.0, 17.0, std::nan("")}) {
    EXPECT_EQ(error_kind([&] { write_scale(out, number); }), base::ErrorKind::kInvalid);
  }
}

TEST(Bits, CodesAreTheirOwnInverse) {
  for (const int k : {0, 1, 3, 7, 20}) {
    for (const std::uint64_t number :
         {0ULL, 1ULL, 2ULL, 7ULL, 8ULL, 100ULL, 1ULL << 33, 1ULL << 59}) {
      BitWriter out;
      out.count(number, k);
      out.element(number, k);
      out.integer(-static_cast<std::int64_t>(number), k);
      out.flag(true);
      const base::Bytes bytes = out.take();
      BitReader in(bytes);
      EXPECT_EQ(in.count(k), number);
      EXPECT_EQ(in.element(k), number);
      EXPECT_EQ(in.integer(k), -static_cast<std::int64_t>(number));
      EXPECT_TRUE(in.flag());
      EXPECT_TRUE(in.at_end());
    }
  }
}

// Seven ones may be the end, eight are the beginning of something.
TEST(Bits, AMessageEndsWithLessThanAByteOfOnes) {
  const base::Bytes ones{0xFE};
  BitReader in(ones);
  EXPECT_FALSE(in.at_end());
  EXPECT_FALSE(in.flag());
  EXPECT_TRUE(in.at_end());
  const base::Bytes zeros{0x7E};
  BitReader other(zeros);
  other.flag();
  EXPECT_FALSE(other.at_end());
  const base::Bytes more{0xFF};
  EXPECT_FALSE(BitReader(more).at_end());
  EXPECT_EQ(error_kind([&] { BitReader(more).expect_end(); }), base::ErrorKind::kDecode);
}

TEST(Bits, IncreasingListsAreShorterThanBytes) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < 20; ++i) list.push_back(10 * i + i % 3);
  BitWriter out;
  out.increasing_to_end(list);
  const base::Bytes bytes = out.take();
  EXPECT_LE(bytes.size(), 1U + 20 * 5 / 8);
  BitReader in(bytes);
  EXPECT_EQ(in.increasing_to_end(), list);
  BitReader few(bytes, 19);
  EXPECT_EQ(error_kind([&] { few.increasing_to_end(); }), base::ErrorKind::kDecode);
}

// The mean of 4000 roundings: each is off by less than a step, with a deviation of at most half of
// it, so the mean is within 6 deviations, 6 / 2 / sqrt(4000) = 0.05 steps, in all but one of 10^9
// cases for each of five numbers.
TEST(ShortNumbers, RoundingHasNoBias) {
  const std::vector<double> numbers{0.111, -0.77, 1.013, 0.4567, 0.9};
  const auto expect_unbiased = [&](const auto& round) {
    std::vector<double> sums(numbers.size(), 0.0);
    constexpr std::uint32_t kTimes = 4000;
    constexpr double kStep = 0.125;
    for (std::uint32_t epoch = 1; epoch <= kTimes; ++epoch) {
      const RoundedNumbers rounded = round(epoch);
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_LT(std::abs(rounded.numbers[i] - numbers[i]), kStep);
        sums[i] += rounded.numbers[i] / kTimes;
      }
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_NEAR(sums[i], numbers[i], 0.05 * kStep);
    }
  };
  expect_unbiased(
      [&](std::uint32_t epoch) { return round_rewards(numbers, -3, kRoundingCoin, epoch); });
  expect_unbiased(
      [&](std::uint32_t epoch) { return round_projection(numbers, -3, kRoundingCoin, epoch); });
}

TEST(ShortNumbers, WhatIsRoundedIsWhatIsRead) {
  for (const int exponent : {-30, -3, 0, 20}) {
    for (const double level : {0.0, 1e6, -1e30}) {
      std::vector<double> rewards;
      for (int i = 0; i < 30; ++i) rewards.push_back(level + std::sin(i));
      for (const RoundedNumbers& rounded :
           {round_rewards(rewards, exponent, kRoundingCoin, 2),
            round_rewards(rewards, std::nullopt, kRoundingCoin, 2),
            round_projection(rewards, exponent, kRoundingCoin, 2)}) {
        EXPECT_EQ(read_list(list_bytes(rounded)), rounded.numbers);
      }
    }
  }
}

// Noise of deviation 1 with steps of 1/2 to 1: two to three bits each, wherever the level is.
TEST(ShortNumbers, RewardsTakeAsManyBitsAsTheirNoise) {
  std::vector<double> rewards(200);
  kRoundingCoin.normals({.purpose = random::Purpose::kNoise, .epoch = 9}, rewards);
  for (const double level : {0.0, 1000.0}) {
    std::vector<double> there = rewards;
    for (double& one : there) one += level;
    EXPECT_LE(list_bytes(round_rewards(there, 0, kRoundingCoin, 1)).size(), 200U * 3 / 8 + 5);
  }
}

// Four rewards say themselves how they are spread; of fewer each has its own 16 bits.
TEST(ShortNumbers, RewardsWithoutAKnownNoise) {
  const std::vector<double> four{100.0, 101.0, 102.5, 99.0};
  const RoundedNumbers grid = round_rewards(four, std::nullopt, kRoundingCoin, 1);
  ASSERT_TRUE(grid.format.grid);
  EXPECT_EQ(grid.format.grid->exponent, -4);  // the median distance to 101 is 1.5
  EXPECT_EQ(grid.format.grid->base, 101 * 16);
  const RoundedNumbers alone =
      round_rewards(std::span(four).first(3), std::nullopt, kRoundingCoin, 1);
  EXPECT_FALSE(alone.format.grid);
  EXPECT_EQ(alone.numbers[2], 102.5);
  const std::vector<double> equal(9, 0.3);
  const RoundedNumbers same = round_rewards(equal, std::nullopt, kRoundingCoin, 1);
  EXPECT_FALSE(same.format.grid);
  EXPECT_NEAR(same.numbers[5], 0.3, 0x1p-17);
}

TEST(ShortNumbers, AnAbsurdRewardDoesNotEraseTheOthers) {
  std::vector<double> rewards;
  for (int i = 0; i < 30; ++i) rewards.push_back(std::sin(i));
  const std::size_t size = list_bytes(round_rewards(rewards, -5, kRoundingCoin, 1)).size();
  for (const double absurd : {1e9, -1e30, 3e38}) {
    rewards[7] = absurd;
    for (const std::optional<std::int32_t>& exponent : {std::optional(-5), std::optional<int>()}) {
      const RoundedNumbers rounded = round_rewards(rewards, exponent, kRoundingCoin, 1);
      for (std::size_t i = 0; i < rewards.size(); ++i) {
        EXPECT_NEAR(rounded.numbers[i], rewards[i], i == 7 ? std::abs(absurd) * 0x1p-16 : 0.07);
      }
      EXPECT_EQ(read_list(list_bytes(rounded)), rounded.numbers);
      EXPECT_LE(list_bytes(rounded).size(), size + 16);
    }
  }
}

// Up to 2^40 steps from the base a number stays on the grid; from there on it has 16 bits of its
// own.
TEST(ShortNumbers, NumbersFarOffTheBaseStandAlone) {
  const double near = 0x1p39 + 3;
  const double far = 0x1p41 + 3;
  const std::vector<double> rewards{0, 0, 0, near, far};
  const RoundedNumbers rounded = round_rewards(rewards, 0, kRoundingCoin, 1);
  EXPECT_EQ(rounded.numbers[3], near);
  EXPECT_EQ(rounded.numbers[4], 0x1p41);
}

TEST(ShortNumbers, ThresholdsAreRoundedDown) {
  for (const double number : {0.7, -0.7, 3.0, -1e-9}) {
    const double rounded = round_down(number, -3);
    EXPECT_LE(rounded, number);
    EXPECT_GT(rounded, number - 0.125);
    EXPECT_EQ(std::ldexp(rounded, 3), std::floor(std::ldexp(rounded, 3)));
  }
}

const kernel::Kernel kShortSmooth{.lengthscales = {0.3}};

struct SomeMean {
  numeric::Points centers = lattice(20, 2);
  numeric::Vector weights = numeric::Vector(20);
  MeanToSend mean;

  explicit SomeMean(double most) {
    for (Eigen::Index i = 0; i < 20; ++i) weights[i] = 3 * std::sin(static_cast<double>(5 * i));
    mean.points = lattice(300, 2);
    mean.means = kernel::weighted_sum(kShortSmooth, mean.points, centers, weights);
    mean.most = numeric::Vector::Constant(300, most);
  }

  double error(const ShortWeights& found) const {
    const numeric::Vector sent = kernel::weighted_sum(
        kShortSmooth, mean.points, numeric::select_rows(centers, found.chosen), found.weights);
    return (sent - mean.means).cwiseQuotient(mean.most).lpNorm<Eigen::Infinity>();
  }
};

base::Bytes bytes_of(const ShortWeights& found) {
  return list_bytes(
      {{found.weights.data(), found.weights.data() + found.weights.size()}, found.format});
}

// Weights of a smooth kernel round together: fewer bits than each would need by itself.
TEST(ShortWeights, MoveTheMeanByLessThanAsked) {
  for (const double most : {0.3, 0.03, 3e-5}) {
    const SomeMean some(most);
    for (const ShortWeights& found :
         {shorten_weights(kShortSmooth, some.mean, some.centers, some.weights),
          sparse_weights(kShortSmooth, some.mean, some.centers)}) {
      EXPECT_LE(some.error(found), 1 + 1e-9);
      ASSERT_TRUE(found.format.grid);
      EXPECT_THAT(read_list(bytes_of(found)),
                  testing::ElementsAreArray(found.weights.data(),
                                            static_cast<std::size_t>(found.weights.size())));
      EXPECT_LE(bytes_of(found).size(), 3 + (most >= 0.03 ? 1 : 4) * found.chosen.size());
    }
  }
  const SomeMean exact(1e-300);
  EXPECT_EQ(shorten_weights(kShortSmooth, exact.mean, exact.centers, exact.weights).weights,
            exact.weights);
}

TEST(ShortWeights, FewCentersAreEnoughForALooseMean) {
  const SomeMean some(0.3);
  const ShortWeights found = sparse_weights(kShortSmooth, some.mean, some.centers);
  EXPECT_LT(found.chosen.size(), 15U);
  EXPECT_TRUE(std::ranges::is_sorted(found.chosen));
  // Where half of the domain does not matter fewer bits do, and the other half is met as before.
  SomeMean half(0.3);
  for (Eigen::Index i = 0; i < 300; ++i) {
    if (half.mean.points(i, 0) < 0.5) half.mean.most[i] = 100;
  }
  const ShortWeights fewer = sparse_weights(kShortSmooth, half.mean, half.centers);
  EXPECT_LT(fewer.size, found.size);
  EXPECT_LE(half.error(fewer), 1 + 1e-9);
}

}  // namespace
}  // namespace duets::protocol
