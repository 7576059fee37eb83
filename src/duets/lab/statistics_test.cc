#include "duets/lab/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "duets/base/error.h"
#include "duets/random/coin.h"

namespace duets::lab {
namespace {

using Values = std::vector<double>;

random::Coin coin(std::uint8_t number) {
  random::Key key{};
  key.fill(number);
  return random::Coin(key);
}

// Draw number `slot` of n standard normals.
Values normals(const random::Coin& coin, std::uint32_t slot, std::size_t n) {
  Values out(n);
  coin.normals({.purpose = random::Purpose::kNoise, .slot = slot}, out);
  return out;
}

TEST(Statistics, MeanAndDeviationOfKnownNumbers) {
  const Values values = {2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(*sample_stddev(values), std::sqrt(32.0 / 7));
}

TEST(Statistics, OneRunHasNoDeviationAndNoInterval) {
  const Values one = {3};
  EXPECT_EQ(mean(one), 3);
  EXPECT_FALSE(sample_stddev(one));
  EXPECT_FALSE(Bootstrap(1).mean_interval(one));
  const PairedDifference d = paired_difference(one, Values{1}, 1);
  EXPECT_EQ(d.mean, 2);
  EXPECT_FALSE(d.interval);
  EXPECT_EQ(d.order, Order::kUndecided);
}

TEST(Statistics, RefusesNothingAndWhatIsNotFinite) {
  EXPECT_THROW(mean(Values{}), base::Error);
  EXPECT_THROW(mean(Values{1, std::nan("")}), base::Error);
  EXPECT_THROW(paired_difference(Values{1, 2}, Values{1}, 1), base::Error);
  EXPECT_THROW(Bootstrap(5).mean_interval(Values{1, 2}), base::Error);
}

// 0.1 summed five times and divided by five is not 0.1: equal runs must still have mean 0.1 and
// deviation 0.
TEST(Statistics, EqualNumbersAreTheirOwnMean) {
  const Values equal(7, 0.1);
  EXPECT_EQ(mean(equal), 0.1);
  EXPECT_EQ(*sample_stddev(equal), 0);
  EXPECT_EQ(*Bootstrap(7).mean_interval(equal), (Interval{0.1, 0.1}));
}

// Closed forms: one degree of freedom is Cauchy, two are t / sqrt(2 + t^2).
TEST(Student, ClosedForms) {
  for (const double t : {1e-6, 0.1, 0.9, 1.0, 1.1, 3.0, 50.0, 1e5}) {
    const double one = 2 / std::numbers::pi * std::atan(t);
    EXPECT_NEAR(student_central(t, 1), one, 1e-13 * one) << t;
    const double two = t / std::sqrt(2 + t * t);
    EXPECT_NEAR(student_central(t, 2), two, 1e-13 * two) << t;
  }
}

// Two-sided quantiles of the usual tables, as far as these print them (three decimals).
TEST(Student, QuantilesOfTheTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_quantile(0.99, 4), 4.604, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 9), 2.262, 5e-4);
  EXPECT_NEAR(student_quantile(0.90, 19), 1.729, 5e-4);
  EXPECT_NEAR(student_quantile(0.95, 30), 2.042, 5e-4);
  EXPECT_NEAR(student_quantile(0.999, 120), 3.373, 5e-4);
}

// The density, integrated by Simpson's rule: another route to the same probability. The rule's
// error with 2000 steps on [0, 3] is below 1e-12.
TEST(Student, AgreesWithTheIntegralOfTheDensity) {
  for (const std::size_t freedom : {3u, 4u, 7u, 10u, 49u}) {
    const auto nu = static_cast<double>(freedom);
    const double scale = std::exp(std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2)) /
                         std::sqrt(nu * std::numbers::pi);
    const auto density = [&](double x) { return scale * std::pow(1 + x * x / nu, -(nu + 1) / 2); };
    constexpr int kSteps = 2000;
    const double h = 3.0 / kSteps;
    double sum = density(0) + density(3);
    for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 1 ? 4 : 2) * density(i * h);
    EXPECT_NEAR(student_central(3, freedom), 2 * sum * h / 3, 1e-12) << freedom;
  }
}

TEST(Student, QuantileInvertsTheProbability) {
  for (const std::size_t freedom : {1u, 2u, 4u, 5u, 19u, 200u}) {
    for (const double level : {0.5, 0.95, 1 - 0.05 / 3, 0.9999}) {
      EXPECT_NEAR(student_central(student_quantile(level, freedom), freedom), level, 1e-13);
    }
  }
  EXPECT_THROW(student_quantile(1, 4), base::Error);
}

TEST(Bootstrap, IsAFunctionOfTheValues) {
  const Values values = {3, 1, 4, 1.5, 9};
  EXPECT_EQ(*Bootstrap(5).mean_interval(values), *Bootstrap(5).mean_interval(values));
}

// The interval moves and scales with the values: powers of two and an exact shift, so the bits do.
TEST(Bootstrap, ScalesWithTheValues) {
  const Values values = {3, 1, 4, 1.5, 9};
  Values scaled = values;
  for (double& v : scaled) v *= 8;
  const Interval a = *Bootstrap(5).mean_interval(values);
  const Interval b = *Bootstrap(5).mean_interval(scaled);
  EXPECT_EQ(b, (Interval{8 * a.low, 8 * a.high}));
}

TEST(Bootstrap, LeansTowardsTheLongTail) {
  const Values values = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.7, 2.0, 3.5, 9};
  const Interval i = *Bootstrap(10).mean_interval(values);
  const double centre = mean(values);
  EXPECT_GT(i.high - centre, centre - i.low);
}

// Four equal values of five: a third of the resamples has no spread.
TEST(Bootstrap, GivesNothingWhereResamplesHaveNoSpread) {
  EXPECT_FALSE(Bootstrap(5).mean_interval(Values{2, 2, 2, 2, 7}));
  EXPECT_FALSE(Bootstrap(4).mean_interval(Values{1, 2, 3, 4}));
}

double coverage(std::size_t n, std::uint32_t trials, bool skewed) {
  const Bootstrap bootstrap(n);
  const random::Coin draws = coin(skewed ? 2 : 1);
  const double truth = skewed ? std::exp(0.125) : 0;
  double hits = 0;
  for (std::uint32_t k = 0; k < trials; ++k) {
    Values values = normals(draws, k, n);
    if (skewed) {
      for (double& v : values) v = std::exp(0.5 * v);
    }
    const Interval i = *bootstrap.mean_interval(values);
    if (i.low <= truth && truth <= i.high) hits += 1;
  }
  return hits / trials;
}

// True coverage, measured apart with 4000 samples each: 0.942 (n = 5), 0.951 (n = 10) for normal
// values, 0.932 (n = 5) for log-normal ones with shape 0.5. With 1000 trials the standard error is
// below 0.0081 (and 0.004 is the error of those figures): the bounds are four of both together
// away, so a right routine with another seed fails with probability below 1e-4. A percentile or
// BCa interval (0.83 at n = 5) is ten standard errors out.
TEST(Bootstrap, CoversAboutWhatItSays) {
  EXPECT_NEAR(coverage(5, 1000, false), 0.942, 0.036);
  EXPECT_NEAR(coverage(10, 1000, false), 0.951, 0.036);
  EXPECT_NEAR(coverage(5, 1000, true), 0.932, 0.036);
}

// Student's interval of normal differences is exact: 0.95 with standard error 0.0049 in 2000
// trials; 0.02 is four of them, false alarm 6e-5 with another seed.
TEST(PairedDifference, CoversExactlyForNormalValues) {
  const random::Coin draws = coin(3);
  double hits = 0;
  for (std::uint32_t k = 0; k < 2000; ++k) {
    const Values all = normals(draws, k, 10);
    const auto pairs = std::span(all);
    const PairedDifference d = paired_difference(pairs.first(5), pairs.last(5), 1);
    if (d.order == Order::kUndecided) hits += 1;
  }
  EXPECT_NEAR(hits / 2000, 0.95, 0.02);
}

// Four algorithms that are all alike: the family of three comparisons with one of them errs in at
// most 5 % of the trials (standard error 0.0049 in 2000; the bound is 0.05 + 4 of them, false alarm
// below 4e-5). Without the correction it errs in about 11 %.
TEST(PairedDifference, FamilyErrsTogetherAtMostAsStated) {
  const random::Coin draws = coin(4);
  double wrong = 0;
  for (std::uint32_t k = 0; k < 2000; ++k) {
    const Values all = normals(draws, k, 20);
    const auto runs = std::span(all);
    bool any = false;
    for (std::size_t rival = 1; rival < 4; ++rival) {
      const auto d = paired_difference(runs.first(5), runs.subspan(5 * rival, 5), 3);
      any = any || d.order != Order::kUndecided;
    }
    if (any) wrong += 1;
  }
  EXPECT_LE(wrong / 2000, 0.05 + 0.02);
}

// By hand: differences 1, 2, 3, 4, 5 have mean 3, deviation sqrt(2.5), t(0.95, 4) = 2.7764451.
TEST(PairedDifference, ByHand) {
  const Values first = {11, 12, 13, 14, 15};
  const Values second(5, 10);
  const PairedDifference d = paired_difference(first, second, 1);
  EXPECT_EQ(d.mean, 3);
  EXPECT_NEAR(d.interval->low, 3 - 2.7764451 * std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(d.interval->high, 3 + 2.7764451 * std::sqrt(0.5), 1e-6);
  EXPECT_EQ(d.order, Order::kHigher);
  EXPECT_EQ(paired_difference(second, first, 1).order, Order::kLower);
  // A larger family is more careful.
  EXPECT_LT(paired_difference(first, second, 3).interval->low, d.interval->low);
}

TEST(PairedDifference, EqualDifferencesAreCertain) {
  const PairedDifference d = paired_difference(Values{3, 4}, Values{1, 2}, 2);
  EXPECT_EQ(*d.interval, (Interval{2, 2}));
  EXPECT_EQ(d.order, Order::kHigher);
  EXPECT_EQ(paired_difference(Values{1, 2}, Values{1, 2}, 2).order, Order::kUndecided);
}

}  // namespace
}  // namespace duets::lab
