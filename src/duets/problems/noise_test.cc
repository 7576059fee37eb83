#include "duets/problems/noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <vector>

#include "duets/base/error.h"

namespace duets::problems {
namespace {

using base::AgentId;

const random::Coin kCoin = random::StudySecret::from_seed(4).problem_coin();

std::vector<double> sample(const Noise& noise) {
  std::vector<double> draws;
  for (std::uint32_t agent = 0; agent < 10; ++agent) {
    for (std::uint32_t t = 0; t < 400; ++t) {
      draws.push_back(draw_noise(noise, kCoin, AgentId{agent}, t));
    }
  }
  std::sort(draws.begin(), draws.end());
  return draws;
}

double kolmogorov_distance(const std::vector<double>& sorted,
                           const std::function<double(double)>& cdf) {
  const double n = static_cast<double>(sorted.size());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double truth = cdf(sorted[i]);
    distance = std::max(
        {distance, truth - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - truth});
  }
  return distance;
}

// 4000 draws: the distance exceeds 0.0426 with probability below 1e-6.
constexpr double kKolmogorovBound = 0.0426;

TEST(Noise, GaussianIsGaussian) {
  const auto draws = sample({NoiseKind::kGaussian, 0.2});
  EXPECT_LT(kolmogorov_distance(
                draws, [](double x) { return std::erfc(-x / 0.2 / std::numbers::sqrt2) / 2; }),
            kKolmogorovBound);
}

TEST(Noise, BoundedIsUniformAndBounded) {
  const auto draws = sample({NoiseKind::kBounded, 0.25});
  EXPECT_GE(draws.front(), -0.25);
  EXPECT_LT(draws.back(), 0.25);
  EXPECT_LT(kolmogorov_distance(draws, [](double x) { return (x + 0.25) / 0.5; }),
            kKolmogorovBound);
}

// The noise is the problem's coin at the agent and time of the query, in any order of calls:
// another address would change every simulated run.
TEST(Noise, IsTheCoinOfItsAgentAndTime) {
  std::set<double> draws;
  for (std::uint32_t agent = 0; agent < 5; ++agent) {
    for (std::uint32_t t = 0; t < 5; ++t) {
      const random::Address address{.purpose = random::Purpose::kNoise, .agent = agent, .slot = t};
      double normal = 0;
      double uniform = 0;
      kCoin.normals(address, {&normal, 1});
      kCoin.uniforms(address, {&uniform, 1});
      const auto draw = [&](NoiseKind kind) {
        return draw_noise({kind, 0.2}, kCoin, AgentId{agent}, t);
      };
      EXPECT_EQ(draw(NoiseKind::kGaussian), 0.2 * normal);
      EXPECT_EQ(draw(NoiseKind::kBounded), 0.2 * (2 * uniform - 1));
      draws.insert(draw(NoiseKind::kGaussian));
    }
  }
  EXPECT_EQ(draws.size(), 25u);
}

// Doubling is exact in binary64, so twice the level is twice the noise to the bit.
TEST(Noise, ScalesWithTheLevel) {
  for (const NoiseKind kind : {NoiseKind::kGaussian, NoiseKind::kBounded}) {
    for (std::uint32_t t = 0; t < 50; ++t) {
      EXPECT_EQ(draw_noise({kind, 0.6}, kCoin, AgentId{0}, t),
                2 * draw_noise({kind, 0.3}, kCoin, AgentId{0}, t));
    }
  }
}

TEST(Noise, NoneIsZero) {
  for (const NoiseKind kind : {NoiseKind::kGaussian, NoiseKind::kBounded}) {
    for (std::uint32_t t = 0; t < 10; ++t) {
      const double draw = draw_noise({kind, 0}, kCoin, AgentId{0}, t);
      EXPECT_EQ(draw, 0);
      EXPECT_FALSE(std::signbit(draw));
    }
  }
}

TEST(Noise, BadLevelsAreRefused) {
  for (const NoiseKind kind : {NoiseKind::kGaussian, NoiseKind::kBounded}) {
    for (const double level : {0.0, 0.2}) EXPECT_NO_THROW(validate({kind, level}));
    for (const double level : {-0.1, std::nan(""), HUGE_VAL}) {
      EXPECT_THROW(validate({kind, level}), base::Error) << base::name_of(kind) << " " << level;
    }
  }
  EXPECT_THROW(validate({static_cast<NoiseKind>(9), 0.2}), base::Error);
}

}  // namespace
}  // namespace duets::problems
