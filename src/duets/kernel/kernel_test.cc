#include "duets/kernel/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "duets/base/error.h"
#include "duets/kernel/formula_test_support.h"
#include "duets/numeric/strict.h"

namespace duets::kernel {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::strict_exp;
using numeric::Vector;
using testing::AllOf;
using testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Family kFamilies[] = {Family::kSquaredExponential, Family::kMatern12, Family::kMatern32,
                                Family::kMatern52};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

/// Uniform on [-1, 1]^d, the same on every run.
Points some_points(int n, int d, unsigned seed) {
  std::mt19937_64 engine(seed);
  Points points(n, d);
  for (double& v : points.reshaped()) v = static_cast<double>(engine() >> 11) * 0x1p-52 - 1.0;
  return points;
}

Kernel some_kernel(Family family, int d) {
  Kernel kernel{family, {}, 1.7};
  for (int k = 0; k < d; ++k) kernel.lengthscales.push_back(0.3 + 0.1 * k);
  return kernel;
}

/// k(a, b) by way of a 1 x 1 cross matrix.
double value(const Kernel& kernel, const std::vector<double>& a, const std::vector<double>& b) {
  const auto d = static_cast<Eigen::Index>(a.size());
  return cross(kernel, Eigen::Map<const Points>(a.data(), 1, d),
               Eigen::Map<const Points>(b.data(), 1, d))(0, 0);
}

std::vector<double> sums(const Kernel& kernel, const Points& x, const Points& centers,
                         const std::vector<double>& weights) {
  std::vector<double> out(static_cast<std::size_t>(x.rows()), -1.0);
  weighted_sum(kernel, ScaledPoints(kernel, x), ScaledPoints(kernel, centers), weights, out);
  return out;
}

TEST(Kernel, AgreesWithTheFormulaInExtendedPrecision) {
  for (Family family : kFamilies) {
    for (int d : {1, 2, 3, 10, 50}) {
      const Kernel kernel = some_kernel(family, d);
      const ScaledPoints x(kernel, some_points(45, d, 1));
      const ScaledPoints c(kernel, some_points(37, d, 2));
      const Matrix k = cross(kernel, x, c);
      for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < c.size(); ++j) {
          long double r2 = 0;
          for (int m = 0; m < d; ++m) {
            const long double diff =
                static_cast<long double>(x.point(i)[m]) - static_cast<long double>(c.point(j)[m]);
            r2 += diff * diff;
          }
          const long double expected = 1.7L * test::formula(family, r2);
          // Relative error of r2: at most (d + 3) half-ulps; an error of the exponent is a relative
          // error of the value, |exponent| <= max(r2 / 2, 3 r); the rest is a handful of roundings.
          const double exponent = std::max(0.5 * double(r2), 3.0 * std::sqrt(double(r2)));
          const double bound = 0x1p-53 * ((d + 5) * exponent + 10.0);
          const auto got = static_cast<long double>(k(Eigen::Index(i), Eigen::Index(j)));
          // 1.7 in the kernel is the double, not 17/10.
          EXPECT_LE(std::abs(got - expected * (static_cast<long double>(1.7) / 1.7L)),
                    bound * expected)
              << base::name_of(family) << " d=" << d;
        }
      }
    }
  }
}

TEST(Kernel, ExactWhereTheArithmeticIsExact) {
  const double variance = 4.0;
  // Scaled difference (3, 4): r^2 = 25 and r = 5 without rounding.
  const std::vector<double> scales = {2.0, 0.5};
  const std::vector<double> a = {7.0, 2.5};
  const std::vector<double> b = {1.0, 0.5};
  EXPECT_EQ(value({Family::kSquaredExponential, scales, variance}, a, b),
            variance * strict_exp(-12.5));
  EXPECT_EQ(value({Family::kMatern12, scales, variance}, a, b), variance * strict_exp(-5.0));
  // r^2 = 3, sqrt(9) = 3.
  EXPECT_EQ(value({Family::kMatern32, {1.0}, variance}, {1, 1, 1}, {0, 0, 0}),
            variance * (4.0 * strict_exp(-3.0)));
  // r^2 = 45, a = 15, 1 + 15 + 75 = 91.
  EXPECT_EQ(value({Family::kMatern52, {1.0}, variance}, {6, 3}, {0, 0}),
            variance * (91.0 * strict_exp(-15.0)));
}

TEST(Kernel, CoincidentPointsSumTheirWeightsExactly) {
  for (Family family : kFamilies) {
    const Kernel kernel{family, {0.7}, 2.0};
    const Points x = Points::Constant(50, 3, 0.1);
    std::vector<double> weights(41);
    for (std::size_t j = 0; j < weights.size(); ++j) weights[j] = double(j) - 10.0;
    for (double sum : sums(kernel, x, Points::Constant(41, 3, 0.1), weights)) {
      EXPECT_EQ(sum, 2.0 * 410.0);
    }
  }
}

TEST(Kernel, WeightedSumAddsCentersInOrderForEveryNumberOfPoints) {
  for (Family family : kFamilies) {
    for (int m : {0, 1, 2, 31, 32, 33, 70}) {
      Kernel kernel = some_kernel(family, 3);
      const Points centers = some_points(m, 3, 5);
      const Vector weights = 3.0 * some_points(m, 1, 6).col(0);
      const std::vector<double> w(weights.begin(), weights.end());
      Kernel unit = kernel;
      unit.variance = 1.0;
      const Matrix e = cross(unit, some_points(100, 3, 7), centers);
      for (int n = 0; n <= 100; ++n) {
        const Points x = some_points(100, 3, 7).topRows(n);
        const std::vector<double> got = sums(kernel, x, centers, w);
        for (int i = 0; i < n; ++i) {
          double expected = 0.0;
          for (int j = 0; j < m; ++j) {
            expected = expected + e(i, j) * (kernel.variance * w[std::size_t(j)]);
          }
          ASSERT_TRUE(same_bits(got[std::size_t(i)], expected)) << n << " " << i << " " << m;
        }
        ASSERT_TRUE((weighted_sum(kernel, x, centers, weights).array() ==
                     Eigen::Map<const Vector>(got.data(), n).array())
                        .all());
      }
    }
  }
}

TEST(Kernel, ValuesDoNotDependOnThePositionOfAPoint) {
  EXPECT_TRUE(rc::check("permuting x permutes the sums", [] {
    const int n = *rc::gen::inRange(1, 80);
    const int d = *rc::gen::inRange(1, 6);
    const Kernel kernel = some_kernel(
        *rc::gen::elementOf(std::vector<Family>(std::begin(kFamilies), std::end(kFamilies))), d);
    const Points x = some_points(n, d, *rc::gen::inRange(0u, 1000u));
    const Points centers = some_points(40, d, 9);
    const std::vector<double> weights(40, 0.37);
    Eigen::PermutationMatrix<Eigen::Dynamic> order(n);
    order.setIdentity();
    std::shuffle(order.indices().begin(), order.indices().end(),
                 std::mt19937_64(*rc::gen::inRange(0u, 1000u)));
    const Points shuffled = order * x;
    const std::vector<double> one = sums(kernel, x, centers, weights);
    const std::vector<double> two = sums(kernel, shuffled, centers, weights);
    for (int i = 0; i < n; ++i) {
      RC_ASSERT(same_bits(two[std::size_t(order.indices()[i])], one[std::size_t(i)]));
    }
  }));
}

TEST(Kernel, SymmetricBoundedAndExactUnderPowersOfTwo) {
  EXPECT_TRUE(rc::check("k(a, b) = k(b, a) in [0, variance]; units do not matter", [] {
    const int d = *rc::gen::inRange(1, 8);
    Kernel kernel = some_kernel(
        *rc::gen::elementOf(std::vector<Family>(std::begin(kFamilies), std::end(kFamilies))), d);
    const Points a = some_points(3, d, *rc::gen::inRange(0u, 1000u));
    const Points b = some_points(5, d, *rc::gen::inRange(0u, 1000u));
    const Matrix k = cross(kernel, a, b);
    RC_ASSERT(k == cross(kernel, b, a).transpose());
    // Matern 5/2 may round one ulp above 1 where r is about 1e-8.
    const double top = kernel.variance * (1.0 + 0x1p-52);
    RC_ASSERT((k.array() >= 0.0).all() && (k.array() <= top).all());
    for (double& scale : kernel.lengthscales) scale *= 8.0;
    RC_ASSERT(k == cross(kernel, 8.0 * a, 8.0 * b));
  }));
}

TEST(Kernel, GramIsSymmetricWithExactDiagonal) {
  for (Family family : kFamilies) {
    for (int n : {0, 1, 31, 32, 33, 100}) {
      const Kernel kernel = some_kernel(family, 4);
      const Points x = some_points(n, 4, 3);
      const Matrix k = gram(kernel, x);
      EXPECT_EQ(k, k.transpose().eval());
      EXPECT_TRUE((k.diagonal().array() == kernel.variance).all());
      EXPECT_EQ(k, cross(kernel, x, x));
    }
  }
}

TEST(Kernel, OneLengthscaleAppliesToAllDimensions) {
  const Points x = some_points(40, 3, 1);
  for (Family family : kFamilies) {
    EXPECT_EQ(gram({family, {0.3}, 1.0}, x), gram({family, {0.3, 0.3, 0.3}, 1.0}, x));
  }
}

TEST(Kernel, FarPointsGiveZeroEvenWhenTheDistanceOverflows) {
  for (Family family : kFamilies) {
    for (double far : {1e3, 1e150, 1e200, 1.7e308}) {
      EXPECT_TRUE(same_bits(value({family, {1.0}, 3.0}, {far, 0.0}, {0.0, far}), 0.0))
          << base::name_of(family) << far;
      EXPECT_TRUE(same_bits(value({family, {1.0}, 3.0}, {far}, {-far}), 0.0));
    }
  }
}

TEST(Kernel, NaNAffectsOnlyItsOwnPoint) {
  for (Family family : kFamilies) {
    const Kernel kernel = some_kernel(family, 2);
    const Points centers = some_points(10, 2, 4);
    const std::vector<double> weights(10, 1.0);
    Points x = some_points(37, 2, 5);
    const std::vector<double> clean = sums(kernel, x, centers, weights);
    x(3, 1) = std::bit_cast<double>(0x7ff8000000000123);
    x(36, 0) = std::numeric_limits<double>::quiet_NaN();
    x(20, 0) = kInf;
    const std::vector<double> spoiled = sums(kernel, x, centers, weights);
    for (std::size_t i = 0; i < clean.size(); ++i) {
      if (i == 3 || i == 36) {
        EXPECT_TRUE(std::isnan(spoiled[i]));
      } else {
        EXPECT_TRUE(same_bits(spoiled[i], i == 20 ? 0.0 : clean[i]));
      }
    }
  }
}

/// The text of the error that `body` throws.
template <class Body>
std::string refusal(const Body& body) {
  try {
    body();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "nothing thrown";
}

TEST(Kernel, ValidateNamesTheFieldTheValueAndTheConstraint) {
  const auto check = [](Kernel kernel) { return refusal([&] { validate(kernel, 3); }); };
  EXPECT_NO_THROW(validate({}, 3));
  EXPECT_NO_THROW(validate({Family::kMatern52, {1, 2, 3}, 0.5}, 3));
  for (double bad : {0.0, -1.0, kInf, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(check({Family::kMatern12, {1.0}, bad}),
                AllOf(HasSubstr("kernel.variance = "), HasSubstr("> 0 and finite")));
    EXPECT_THAT(check({Family::kMatern12, {1.0, bad, 1.0}, 1.0}),
                AllOf(HasSubstr("kernel.lengthscale = "), HasSubstr("> 0 and finite")));
  }
  EXPECT_THAT(check({Family::kMatern12, {0.25, -0.125, 1.0}, 1.0}), HasSubstr("-0.125"));
  EXPECT_THAT(check({Family::kMatern12, {1.0, 1.0}, 1.0}),
              AllOf(HasSubstr("kernel.lengthscale = 2 numbers"), HasSubstr("3 dimensions")));
  EXPECT_THAT(check({Family::kMatern12, {}, 1.0}), HasSubstr("kernel.lengthscale = 0 numbers"));
  EXPECT_THAT(check({static_cast<Family>(4), {1.0}, 1.0}), HasSubstr("kernel.family = 4"));
}

TEST(Kernel, RefusesShapesThatDoNotFit) {
  const Kernel kernel;
  const ScaledPoints x(kernel, some_points(4, 2, 1));
  const ScaledPoints c(kernel, some_points(3, 3, 1));
  std::vector<double> weights(3);
  std::vector<double> out(4);
  EXPECT_THAT(refusal([&] { cross(kernel, x, c); }), HasSubstr("centers.dimension = 3"));
  EXPECT_THAT(refusal([&] { weighted_sum(kernel, x, c, weights, out); }),
              HasSubstr("centers.dimension = 3"));
  EXPECT_THAT(refusal([&] { weighted_sum(kernel, x, x, weights, out); }),
              HasSubstr("weights.size = 3"));
  EXPECT_THAT(refusal([&] { weighted_sum(kernel, c, c, weights, out); }),
              HasSubstr("out.size = 4"));
  EXPECT_THROW(ScaledPoints({Family::kMatern12, {1, 2, 3}, 1.0}, some_points(1, 2, 1)),
               base::Error);
}

TEST(Kernel, FamiliesHaveTheNamesOfTheGlossary) {
  EXPECT_EQ(base::name_of(Family::kSquaredExponential), "squared-exponential");
  EXPECT_EQ(base::name_of(Family::kMatern12), "matern-1/2");
  EXPECT_EQ(base::name_of(Family::kMatern32), "matern-3/2");
  EXPECT_EQ(base::name_of(Family::kMatern52), "matern-5/2");
}

}  // namespace
}  // namespace duets::kernel
