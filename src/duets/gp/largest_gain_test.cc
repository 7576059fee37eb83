#include "duets/gp/largest_gain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duets/base/error.h"
#include "duets/gp/exact.h"
#include "duets/gp/lattice_test_support.h"

namespace duets::gp {
namespace {

using numeric::Points;
using numeric::Vector;

kernel::Kernel kernel_with(double lengthscale, double variance = 1,
                           kernel::Family family = kernel::Family::kSquaredExponential) {
  return {.family = family, .lengthscales = {lengthscale}, .variance = variance};
}

Points on_a_line(std::initializer_list<double> places) {
  Points points(static_cast<Eigen::Index>(places.size()), 1);
  Eigen::Index i = 0;
  for (const double place : places) points(i++, 0) = place;
  return points;
}

// By hand: one point; points that do not see each other share the queries.
TEST(LargestGain, OfPointsThatAreFarApart) {
  const LargestGain one = largest_gain(kernel_with(0.1, 3), on_a_line({0.5}), 0.5, 20);
  EXPECT_NEAR(one.value, 0.5 * std::log1p(20 * 3 / 0.5), 1e-12);
  EXPECT_NEAR(one.bound, one.value, 1e-9);
  const LargestGain four = largest_gain(kernel_with(0.1), on_a_line({0, 10, 20, 30}), 0.5, 20);
  EXPECT_NEAR(four.value, 2 * std::log1p(5 / 0.5), 1e-12);
}

// Of two equal points and one elsewhere, spread evenly two thirds go to the same place; the best
// design gives it half.
TEST(LargestGain, EqualPointsShareTheirQueries) {
  const LargestGain gain = largest_gain(kernel_with(0.1), on_a_line({0, 0, 10}), 0.5, 20, 1e-9);
  EXPECT_NEAR(gain.value, std::log1p(10 / 0.5), 1e-7);
  EXPECT_GE(gain.bound, std::log1p(10 / 0.5) - 1e-12);
}

double gain_of(const kernel::Kernel& kernel, const Points& points, const Vector& counts,
               double lambda) {
  return ExactPosterior(kernel, points, counts, lambda).information_gain();
}

// Greedy designs of whole queries, which have at least 1 - 1/e of the most, lie between.
TEST(LargestGain, NoDesignHasMoreThanTheBound) {
  const Points points = lattice(60, 2);
  for (const auto family : {kernel::Family::kSquaredExponential, kernel::Family::kMatern12}) {
    for (const double queries : {6.0, 200.0}) {
      const kernel::Kernel kernel = kernel_with(0.3, 1, family);
      const LargestGain found = largest_gain(kernel, points, 0.2, queries);
      EXPECT_LE(found.value, found.bound);
      EXPECT_LE(found.bound, 1.05 * found.value) << "tight enough to say something";
      Vector counts = Vector::Zero(points.rows());
      for (int q = 0; q < queries; ++q) {
        // Greedy is the largest variance: a posterior over points without queries needs a tiny
        // count.
        const Vector variance =
            ExactPosterior(kernel, points, counts.cwiseMax(1e-9), 0.2).variance(points).variance;
        Eigen::Index best = 0;
        variance.maxCoeff(&best);
        counts[best] += 1;
      }
      const double greedy = gain_of(kernel, points, counts.cwiseMax(1e-9), 0.2);
      EXPECT_LE(greedy, found.bound);
      EXPECT_GE(found.value, 0.99 * greedy);
      const Vector even =
          Vector::Constant(points.rows(), queries / static_cast<double>(points.rows()));
      EXPECT_GE(found.value, gain_of(kernel, points, even, 0.2) - 1e-2);
    }
  }
}

TEST(LargestGain, RefusesWhatHasNoMeaning) {
  const Points points = on_a_line({0, 1});
  EXPECT_THROW(largest_gain(kernel_with(0.1), points, 0, 5), base::Error);
  EXPECT_THROW(largest_gain(kernel_with(0.1), points, 1, -1), base::Error);
  EXPECT_THROW(largest_gain(kernel_with(0.1), Points(0, 1), 1, 5), base::Error);
  EXPECT_THROW(largest_gain(kernel_with(-1), points, 1, 5), base::Error);
}

}  // namespace
}  // namespace duets::gp
