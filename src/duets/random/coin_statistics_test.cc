// Distribution of the draws. The seed is fixed, so these tests always pass or always fail; the
// stated false-alarm probability is that of a correct generator under a seed chosen at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duets/random/coin.h"

namespace duets::random {
namespace {

constexpr std::size_t kNumDraws = 200000;

// Draws as the protocol takes them: a few words from each of very many addresses.
template <typename Draw>
std::vector<double> draws_across_addresses(Draw draw) {
  const Coin coin = StudySecret::from_seed(2718281828459045).agent_coin(base::AgentId{3});
  std::vector<double> all(kNumDraws);
  constexpr std::size_t kEach = 10;
  for (std::size_t first = 0; first < kNumDraws; first += kEach) {
    const auto i = static_cast<std::uint32_t>(first / kEach);
    const Address address{
        .purpose = Purpose::kPoint, .epoch = i % 5, .slot = i / 20, .attempt = i / 5 % 4};
    draw(coin, address, std::span(all).subspan(first, kEach));
  }
  return all;
}

std::vector<double> many_uniforms() {
  return draws_across_addresses(
      [](const Coin& coin, const Address& a, std::span<double> out) { coin.uniforms(a, out); });
}

// Normals mapped to uniforms by the normal distribution function.
std::vector<double> many_normals_as_uniforms() {
  std::vector<double> all = draws_across_addresses(
      [](const Coin& coin, const Address& a, std::span<double> out) { coin.normals(a, out); });
  for (double& x : all) x = 0.5 * std::erfc(-x / std::sqrt(2.0));
  return all;
}

// sqrt(n) times the largest distance of the empirical from the uniform distribution function.
double kolmogorov_smirnov(std::vector<double> u) {
  std::ranges::sort(u);
  const double n = static_cast<double>(u.size());
  double distance = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double rank = static_cast<double>(i);
    distance = std::max({distance, u[i] - rank / n, (rank + 1) / n - u[i]});
  }
  return std::sqrt(n) * distance;
}

// Pearson's statistic of the pairs (u[i], u[i + 1]), i even, over a grid of cells x cells, as a
// standard normal deviate (Wilson and Hilferty's cube root).
double pair_deviate(const std::vector<double>& u, std::size_t cells) {
  std::vector<double> count(cells * cells);
  const auto cell = [cells](double x) {
    return std::min(cells - 1, static_cast<std::size_t>(x * static_cast<double>(cells)));
  };
  for (std::size_t i = 0; i + 1 < u.size(); i += 2) {
    count[cell(u[i]) * cells + cell(u[i + 1])] += 1;
  }
  const double expected = static_cast<double>(u.size() / 2) / static_cast<double>(count.size());
  double statistic = 0;
  for (const double c : count) statistic += (c - expected) * (c - expected) / expected;
  const double freedom = static_cast<double>(count.size()) - 1;
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
}

// P(sqrt(n) D > 2.69) = 2 exp(-2 2.69^2) = 1.04e-6.
constexpr double kKolmogorovBound = 2.69;
// P(|Z| > 4.9) = 9.6e-7. Both sides: too even a spread is wrong, too.
constexpr double kDeviateBound = 4.9;

TEST(CoinStatistics, UniformsAreUniform) {
  EXPECT_LT(kolmogorov_smirnov(many_uniforms()), kKolmogorovBound);
}

TEST(CoinStatistics, PairsOfUniformsAreIndependent) {
  EXPECT_LT(std::abs(pair_deviate(many_uniforms(), 32)), kDeviateBound);
}

TEST(CoinStatistics, NormalsAreNormal) {
  EXPECT_LT(kolmogorov_smirnov(many_normals_as_uniforms()), kKolmogorovBound);
}

// The two numbers of a Box-Muller pair share a radius and an angle and must not show it.
TEST(CoinStatistics, TheTwoNormalsOfAPairAreIndependent) {
  EXPECT_LT(std::abs(pair_deviate(many_normals_as_uniforms(), 32)), kDeviateBound);
}

// Mean and variance of n normals: deviates (sum x)/sqrt(n) and (sum x^2 - n)/sqrt(2n), each beyond
// 4.9 with probability 1e-6.
TEST(CoinStatistics, NormalsHaveMeanZeroAndVarianceOne) {
  const std::vector<double> x = draws_across_addresses(
      [](const Coin& coin, const Address& a, std::span<double> out) { coin.normals(a, out); });
  double sum = 0;
  double squares = 0;
  for (const double value : x) {
    sum += value;
    squares += value * value;
  }
  const double n = static_cast<double>(x.size());
  EXPECT_LT(std::abs(sum) / std::sqrt(n), kDeviateBound);
  EXPECT_LT(std::abs(squares - n) / std::sqrt(2 * n), kDeviateBound);
}

// Two agents' streams: correlation of n centred products, variance 1/144 each.
TEST(CoinStatistics, TwoAgentsAreUncorrelated) {
  const StudySecret secret = StudySecret::from_seed(0);
  std::vector<double> a(kWordsPerAddress);
  std::vector<double> b(kWordsPerAddress);
  double sum = 0;
  constexpr std::uint32_t kSlots = 50;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    const Address address{.purpose = Purpose::kPoint, .epoch = 1, .slot = slot};
    secret.agent_coin(base::AgentId{0}).uniforms(address, a);
    secret.agent_coin(base::AgentId{1}).uniforms(address, b);
    for (std::size_t i = 0; i < a.size(); ++i) sum += 12 * (a[i] - 0.5) * (b[i] - 0.5);
  }
  EXPECT_LT(std::abs(sum) / std::sqrt(double{kSlots} * kWordsPerAddress), kDeviateBound);
}

// Counts of index_below(word, 7) against n/7 each: Pearson's statistic with 6 degrees of freedom
// exceeds 38.3 with probability 1e-6.
TEST(CoinStatistics, IndicesAreUniform) {
  const Coin coin = StudySecret::from_seed(1).public_coin();
  std::vector<std::uint64_t> words(kWordsPerAddress);
  std::vector<double> count(7);
  constexpr std::uint32_t kSlots = 20;
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    coin.words({.purpose = Purpose::kPublicPoint, .slot = slot}, words);
    for (const std::uint64_t word : words) count[index_below(word, 7)] += 1;
  }
  const double expected = double{kSlots} * kWordsPerAddress / 7;
  double statistic = 0;
  for (const double c : count) statistic += (c - expected) * (c - expected) / expected;
  EXPECT_LT(statistic, 38.3);
}

}  // namespace
}  // namespace duets::random
