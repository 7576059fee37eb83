#include "duets/problems/rkhs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"
#include "duets/problems/draw.h"

namespace duets::problems {
namespace {

constexpr kernel::Family kFamilies[] = {kernel::Family::kSquaredExponential,
                                        kernel::Family::kMatern12, kernel::Family::kMatern32,
                                        kernel::Family::kMatern52};

random::Coin rkhs_coin(std::uint64_t seed) {
  return random::StudySecret::from_seed(seed).problem_coin();
}

std::span<const double> row(const numeric::Points& points, Eigen::Index i) {
  return {points.data() + i * points.cols(), static_cast<std::size_t>(points.cols())};
}

// a^T K a through the Gram matrix. The weights and the kernel are O(1) with 30 centers: the
// quadratic form carries a few hundred roundings of numbers that do not cancel much.
TEST(Rkhs, TheNormIsAttained) {
  for (const kernel::Family family : kFamilies) {
    for (const std::size_t dimension : {1u, 2u, 50u}) {
      const kernel::Kernel kernel{.family = family, .lengthscales = {0.4}, .variance = 2};
      const auto f = make_rkhs({.dimension = dimension, .kernel = kernel, .norm = 3}, rkhs_coin(7));
      const auto& a = f->expansion().weights();
      const numeric::Matrix gram = kernel::gram(kernel, f->expansion().centers());
      EXPECT_NEAR(std::sqrt(a.dot(gram * a)), 3, 1e-12);
      EXPECT_EQ(f->facts().norm, 3);
      EXPECT_EQ(f->dimension(), dimension);
    }
  }
}

// With one center the function is B k(x, c) / sqrt(k(c, c)), largest at the center, or its
// negative, largest in the corner farthest from the center. Both signs must occur.
TEST(Rkhs, OneCenterHasItsMaximumAtTheCenterOrInTheFarCorner) {
  const kernel::Kernel kernel{.lengthscales = {0.5}, .variance = 4};
  int hills = 0;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const auto f =
        make_rkhs({.dimension = 3, .kernel = kernel, .num_centers = 1, .norm = 8}, rkhs_coin(seed));
    const auto center = row(f->expansion().centers(), 0);
    std::vector<double> far_corner;
    for (const double c : center) far_corner.push_back(c < 0.5 ? 1 : 0);
    const double at_center = f->value(center);
    EXPECT_NEAR(std::abs(at_center), 16, 1e-14);
    const double expected = at_center > 0 ? at_center : f->value(far_corner);
    EXPECT_EQ(f->maximum(), expected) << "seed " << seed;
    if (at_center > 0) ++hills;
  }
  EXPECT_GT(hills, 0);
  EXPECT_LT(hills, 16);
}

TEST(Rkhs, ValuesAreTheExpansionInAnyBatch) {
  const auto f = make_rkhs({.dimension = 2, .kernel = {.lengthscales = {0.2, 0.7}}}, rkhs_coin(3));
  const auto& expansion = f->expansion();
  const numeric::Points x = (numeric::Points::Random(70, 2).array() + 1) / 2;
  std::vector<double> out(70);
  f->values(x, out);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    double sum = 0;
    for (Eigen::Index j = 0; j < expansion.centers().rows(); ++j) {
      const double u = (x(i, 0) - expansion.centers()(j, 0)) / 0.2;
      const double v = (x(i, 1) - expansion.centers()(j, 1)) / 0.7;
      sum += expansion.weights()[j] * std::exp(-(u * u + v * v) / 2);
    }
    EXPECT_EQ(out[static_cast<std::size_t>(i)], f->value(row(x, i)));
    EXPECT_NEAR(f->value(row(x, i)), sum, 1e-13);
  }
}

// Central differences with h = 1e-5: truncation h^2 f'''/6 about 1e-8 for scales of 0.5, rounding
// 1e-16 / h = 1e-11.
TEST(Rkhs, TheGradientIsTheSlope) {
  for (const kernel::Family family : kFamilies) {
    const kernel::Kernel kernel{.family = family, .lengthscales = {0.5, 0.8, 1.1}, .variance = 2};
    const auto f = make_rkhs({.dimension = 3, .kernel = kernel}, rkhs_coin(11));
    std::vector<double> x{0.21, 0.83, 0.47};
    std::vector<double> gradient(3);
    f->expansion().gradient(x, gradient);
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<double> above = x;
      std::vector<double> below = x;
      above[k] += 1e-5;
      below[k] -= 1e-5;
      EXPECT_NEAR(gradient[k], (f->value(above) - f->value(below)) / 2e-5, 1e-7)
          << base::name_of(family) << " coordinate " << k;
    }
  }
}

TEST(Rkhs, MaximumIsAttainedInTheDomainAndBoundedByTheNorm) {
  for (const Shape shape : {Shape::kCube, Shape::kBall}) {
    for (const std::size_t dimension : {1u, 2u, 50u}) {
      const auto f = make_rkhs({.dimension = dimension, .shape = shape}, rkhs_coin(5));
      const auto& x = f->maximisers().at(0);
      EXPECT_TRUE(f->maximum_is_numeric());
      EXPECT_EQ(f->value(x), f->maximum());
      EXPECT_LE(f->maximum(), 1);  // |f| <= B sqrt(k(x, x))
      if (shape == Shape::kCube) {
        for (const double coordinate : x) EXPECT_TRUE(0 <= coordinate && coordinate <= 1);
      } else {
        EXPECT_LE(numeric::strict_dot(x, x), 1 + 1e-15);
      }
    }
  }
}

// A grid with its boundary must not beat the search. Nor may the search beat the grid by more than
// f can rise within half a cell h/2 a direction: second order, |f''| <= sum |a_i| c / l^2 with c at
// most 3 (1, 3 and 5/3 for the smooth shapes), and first order in the distance for Matern 1/2.
TEST(Rkhs, MaximumIsThatOfADenseGrid) {
  constexpr Eigen::Index kSide = 151;
  constexpr double kHalfCell = 0.5 / (kSide - 1);
  constexpr double kScale = 0.15;
  numeric::Points grid(kSide * kSide, 2);
  for (Eigen::Index i = 0; i < grid.rows(); ++i) {
    grid(i, 0) = static_cast<double>(i / kSide) / (kSide - 1);
    grid(i, 1) = static_cast<double>(i % kSide) / (kSide - 1);
  }
  std::vector<double> values(static_cast<std::size_t>(grid.rows()));
  for (const kernel::Family family : kFamilies) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const kernel::Kernel kernel{.family = family, .lengthscales = {kScale}};
      const auto f = make_rkhs({.kernel = kernel}, rkhs_coin(seed));
      f->values(grid, values);
      const double best = *std::max_element(values.begin(), values.end());
      const double weight = f->expansion().weights().cwiseAbs().sum();
      const double rise = family == kernel::Family::kMatern12
                              ? weight * std::sqrt(2.0) * kHalfCell / kScale
                              : weight * 3 * kHalfCell * kHalfCell / (kScale * kScale);
      EXPECT_GE(f->maximum(), best) << base::name_of(family) << " seed " << seed;
      EXPECT_LE(f->maximum(), best + rise) << base::name_of(family) << " seed " << seed;
      for (const double x : f->maximisers().at(0)) EXPECT_TRUE(0 <= x && x <= 1) << x;
    }
  }
}

TEST(Rkhs, SameCoinSameFunction) {
  const auto f = make_rkhs({}, rkhs_coin(1));
  const auto again = make_rkhs({}, rkhs_coin(1));
  const auto other = make_rkhs({}, rkhs_coin(2));
  EXPECT_EQ(f->expansion().weights(), again->expansion().weights());
  EXPECT_EQ(f->expansion().centers(), again->expansion().centers());
  EXPECT_EQ(f->maximum(), again->maximum());
  EXPECT_NE(f->expansion().weights(), other->expansion().weights());
}

// Many coincident scales: a Gram matrix of rank one up to rounding. Whatever the weights, the norm
// is attained or the loss is reported, never NaN.
TEST(Rkhs, NearlySingularGramIsAttainedOrReported) {
  const kernel::Kernel flat{.lengthscales = {1e6}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    try {
      const auto f = make_rkhs({.dimension = 1, .kernel = flat}, rkhs_coin(seed));
      EXPECT_TRUE(std::isfinite(f->maximum()));
      EXPECT_NEAR(f->expansion().squared_norm(), 1, 1e-9);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kNumeric);
    }
  }
}

TEST(Expansion, RefusesWhatDoesNotFit) {
  const numeric::Points centers = numeric::Points::Zero(3, 2);
  EXPECT_THROW(Expansion({}, centers, numeric::Vector::Zero(2)), base::Error);
  EXPECT_THROW(Expansion({}, numeric::Points(0, 2), numeric::Vector(0)), base::Error);
  EXPECT_THROW(Expansion({.lengthscales = {1, 1, 1}}, centers, numeric::Vector::Zero(3)),
               base::Error);
}

// The squared radius of a uniform point of the d-ball to the power d/2 is uniform; its mean over
// 4000 draws has standard deviation 0.0046: 6 of them, false alarm 2e-9.
TEST(Draw, BallPointsAreUniformInRadius) {
  for (const std::size_t d : {1u, 3u, 10u}) {
    double sum = 0;
    for (std::uint32_t i = 0; i < 4000; ++i) {
      std::vector<double> x(d);
      draw_in_ball(rkhs_coin(9), {.purpose = random::Purpose::kProblem, .slot = i}, x);
      sum += std::pow(numeric::strict_dot(x, x), static_cast<double>(d) / 2);
    }
    EXPECT_NEAR(sum / 4000, 0.5, 6 * 0.0046);
  }
}

}  // namespace
}  // namespace duets::problems
