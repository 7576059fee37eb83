#include "duets/protocol/numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "duets/protocol/run_test_support.h"
#include "duets/protocol/short_weights.h"

namespace duets::protocol {
namespace {

const random::Coin kRoundingCoin = random::StudySecret::from_seed(3).agent_coin(AgentId{1});

base::Bytes short_bytes(double number) {
  base::ByteWriter out;
  write_short(out, number);
  return out.take();
}

base::Bytes list_bytes(const RoundedNumbers& rounded) {
  base::ByteWriter out;
  write_numbers(out, rounded.numbers, rounded.format);
  return out.take();
}

std::vector<double> read_list(const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  NumberFormat format{Numbers::kShort, 0, 0, 0};
  std::vector<double> numbers = read_numbers(in, format);
  in.expect_end();
  return numbers;
}

TEST(ShortNumbers, EveryFiniteNumberIsExact) {
  for (const double number : {0.0, 1.0, -1.0, 0.1, 1e300, -1e-300, 5e-324, 0x1p1023, 3.0, 1e9}) {
    const base::Bytes bytes = short_bytes(number);
    base::ByteReader in(bytes);
    EXPECT_EQ(read_short(in), number);
    in.expect_end();
  }
  EXPECT_EQ(short_bytes(1.0).size(), 2U);
  EXPECT_EQ(error_kind([] { short_bytes(std::nan("")); }), base::ErrorKind::kInvalid);
}

TEST(ShortNumbers, NoBytesAreANumberThatIsNotFinite) {
  const auto refused = [](const base::Bytes& bytes) {
    base::ByteReader in(bytes);
    return error_kind([&] { read_short(in); }) == base::ErrorKind::kDecode;
  };
  EXPECT_TRUE(refused({2, 0x80, 0x10}));        // 1 x 2^1024
  EXPECT_TRUE(refused({2, 0xB3, 0x11}));        // 1 x 2^-1114: too small
  EXPECT_TRUE(refused({4, 0}));                 // 2: not odd
  EXPECT_TRUE(refused({0, 2}));                 // 0 x 2
  EXPECT_TRUE(refused({0x82, 0x00, 0}));        // a count with a zero byte at its end
  EXPECT_TRUE(refused({2, 0xFF, 0xFF, 0x7F}));  // an exponent beyond all
}

TEST(ShortNumbers, ScalesHaveFourBits) {
  for (const double number : {8.0, 0.9375, 0x1p-1000 * 11, 0x1p900 * 13}) {
    base::ByteWriter out;
    write_scale(out, number);
    base::ByteReader in(out.bytes());
    EXPECT_EQ(read_scale(in), number);
  }
  base::ByteWriter out;
  write_scale(out, 0.25);
  EXPECT_EQ(out.bytes().size(), 1U);
  for (const double number : {0.0, -1.0, 17.0, std::nan("")}) {
    EXPECT_EQ(error_kind([&] { write_scale(out, number); }), base::ErrorKind::kInvalid);
  }
}

TEST(ShortNumbers, IncreasingListsAreShorterThanBytes) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t i = 0; i < 20; ++i) list.push_back(10 * i + i % 3);
  base::ByteWriter out;
  write_increasing(out, list);
  EXPECT_LE(out.bytes().size(), 2U + 20 * 5 / 8 + 1);
  base::ByteReader in(out.bytes());
  EXPECT_EQ(read_increasing(in), list);
  base::Bytes other = out.bytes();
  other[1] = 31;  // a parameter that takes more bits
  base::ByteReader bad(other);
  EXPECT_EQ(error_kind([&] { read_increasing(bad); }), base::ErrorKind::kDecode);
}

// The mean of 4000 roundings: each is off by less than a step, with a deviation of at most half of
// it, so the mean is within 6 deviations, 6 / 2 / sqrt(4000) = 0.05 steps, in all but one of 10^9
// cases for each of five numbers.
TEST(ShortNumbers, RoundingHasNoBias) {
  const std::vector<double> rewards{0.111, -0.77, 1.013, 0.4567, 0.9};
  std::vector<double> sums(rewards.size(), 0.0);
  constexpr std::uint32_t kTimes = 4000;
  double step = 0;
  for (std::uint32_t epoch = 1; epoch <= kTimes; ++epoch) {
    const RoundedNumbers rounded = round_upload(rewards, 4, 0, kRoundingCoin, epoch);
    step = std::ldexp(1.0, rounded.format.exponent);
    for (std::size_t i = 0; i < rewards.size(); ++i) {
      EXPECT_LT(std::abs(rounded.numbers[i] - rewards[i]), step);
      sums[i] += rounded.numbers[i] / kTimes;
    }
  }
  for (std::size_t i = 0; i < rewards.size(); ++i) EXPECT_NEAR(sums[i], rewards[i], 0.05 * step);
}

TEST(ShortNumbers, WhatIsRoundedIsWhatIsRead) {
  for (const double deviation : {0.0, 0.5, 1e-9, 1e9}) {
    for (const double level : {0.0, 1e6, -1e30}) {
      std::vector<double> rewards;
      for (int i = 0; i < 30; ++i) rewards.push_back(level + std::sin(i));
      for (const int bits : {4, 8, 16}) {
        const RoundedNumbers rounded = round_upload(rewards, bits, deviation, kRoundingCoin, 2);
        EXPECT_LE(rounded.format.bits, bits);
        EXPECT_EQ(read_list(list_bytes(rounded)), rounded.numbers);
      }
    }
  }
}

// 30 rewards of 8 bits, and ten bytes for their grid and count.
TEST(ShortNumbers, AnAbsurdRewardDoesNotEraseTheOthers) {
  std::vector<double> rewards;
  for (int i = 0; i < 30; ++i) rewards.push_back(std::sin(i));
  EXPECT_LE(list_bytes(round_upload(rewards, 8, 0, kRoundingCoin, 1)).size(), 40U);
  rewards[7] = 1e9;
  for (const double deviation : {0.0, 0.7}) {
    const RoundedNumbers rounded = round_upload(rewards, 8, deviation, kRoundingCoin, 1);
    EXPECT_NEAR(rounded.numbers[7], 1e9, 1e9 * 0x1p-20);
    for (std::size_t i = 0; i < rewards.size(); ++i) {
      if (i == 7) continue;
      EXPECT_NEAR(rounded.numbers[i], rewards[i], 0.05);
    }
    EXPECT_EQ(read_list(list_bytes(rounded)), rounded.numbers);
  }
}

TEST(ShortNumbers, ThresholdsAreRoundedDown) {
  for (const double number : {0.7, -0.7, 3.0, -1e-9}) {
    const double rounded = round_down(number, -3);
    EXPECT_LE(rounded, number);
    EXPECT_GT(rounded, number - 0.125);
    EXPECT_EQ(std::ldexp(rounded, 3), std::floor(std::ldexp(rounded, 3)));
  }
}

// Weights of a smooth kernel round together: fewer bits than each would need by itself.
TEST(ShortNumbers, WeightsMoveTheMeanByLessThanAsked) {
  const kernel::Kernel kernel{.lengthscales = {0.3}};
  const numeric::Points inducing = lattice(20, 2);
  const numeric::Points points = lattice(300, 2);
  numeric::Vector weights(20);
  for (Eigen::Index i = 0; i < 20; ++i) weights[i] = 3 * std::sin(static_cast<double>(5 * i));
  const numeric::Vector exact = kernel::weighted_sum(kernel, points, inducing, weights);
  for (const double most : {0.3, 0.03, 3e-5}) {
    const ShortWeights found = shorten_weights(kernel, points, inducing, weights, most);
    const numeric::Vector mean = kernel::weighted_sum(kernel, points, inducing, found.weights);
    EXPECT_LE((mean - exact).lpNorm<Eigen::Infinity>(), most * (1 + 1e-9));
    const base::Bytes bytes = list_bytes(
        {{found.weights.data(), found.weights.data() + found.weights.size()}, found.format});
    EXPECT_THAT(read_list(bytes), testing::ElementsAreArray(found.weights.data(), 20U));
    EXPECT_LE(found.format.bits, most >= 0.03 ? 8 : 32);
  }
  const ShortWeights none = shorten_weights(kernel, points, inducing, weights, 0);
  EXPECT_EQ(none.weights, weights);
}

}  // namespace
}  // namespace duets::protocol
