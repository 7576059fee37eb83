#include "duets/gp/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "duets/base/error.h"
#include "duets/gp/lattice_test_support.h"

namespace duets::gp {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Points;
using numeric::Vector;

constexpr double kExactNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kExactEpsilon = std::numeric_limits<double>::epsilon();

Kernel kernel_of(Family family, double lengthscale = 0.3) { return {family, {lengthscale}, 1.0}; }

// First-order bound for solving with K + lambda I, whose condition number is at most 1 + m /
// lambda.
double solve_bound(Eigen::Index m, double lambda) {
  const double n = static_cast<double>(m);
  return 4 * n * kExactEpsilon * (1 + n / lambda);
}

void expect_variances_in_range(const VarianceResult& result, double prior) {
  for (const double variance : result.variance) {
    EXPECT_GE(variance, 0);
    EXPECT_LE(variance, prior);
  }
}

TEST(ExactPosterior, OnePointByHand) {
  // k(x, 0) = exp(-1/2) at distance one length scale; everything else is a fraction.
  const double k = std::exp(-0.5);
  const ExactPosterior posterior(kernel_of(Family::kSquaredExponential, 2.0), Points::Zero(1, 1),
                                 Vector(), 0.25);
  const Points x{{0.0}, {2.0}};
  const Vector mean = posterior.mean(x, Vector::Constant(1, 5.0));
  EXPECT_NEAR(mean[0], 4.0, 1e-15);
  EXPECT_NEAR(mean[1], 4.0 * k, 4e-15);
  const Vector variance = posterior.variance(x).variance;
  EXPECT_NEAR(variance[0], 0.2, 1e-15);
  EXPECT_NEAR(variance[1], 1 - 0.8 * k * k, 1e-15);
  EXPECT_NEAR(posterior.information_gain(), 0.5 * std::log(5.0), 1e-15);
  EXPECT_EQ(posterior.jitter(), 0);
}

TEST(ExactPosterior, WithoutDataIsThePrior) {
  const Kernel prior{Family::kMatern52, {0.5}, 3.0};
  const ExactPosterior posterior(prior, Points(0, 2), Vector(), 1.0);
  const Points x = lattice(4, 2);
  EXPECT_EQ(posterior.mean(x, Vector()), Vector::Zero(4));
  EXPECT_EQ(posterior.variance(x).variance, Vector::Constant(4, 3.0));
  EXPECT_EQ(posterior.information_gain(), 0);
}

TEST(ExactPosterior, TheOrderOfDataChangesNothing) {
  const Points data = lattice(60, 3);
  const Vector rewards = rewards_at(data);
  const Points x = lattice(20, 3, 0.1);
  const double lambda = 0.05;
  for (const Family family : kFamilies) {
    const ExactPosterior forward(kernel_of(family), data, Vector(), lambda);
    const ExactPosterior backward(kernel_of(family), data.colwise().reverse(), Vector(), lambda);
    const double bound = solve_bound(data.rows(), lambda);
    EXPECT_LE(
        (forward.mean(x, rewards) - backward.mean(x, rewards.reverse())).cwiseAbs().maxCoeff(),
        bound * rewards.norm());
    EXPECT_LE((forward.variance(x).variance - backward.variance(x).variance).cwiseAbs().maxCoeff(),
              bound);
    EXPECT_NEAR(forward.information_gain(), backward.information_gain(), 1e-12);
  }
}

TEST(ExactPosterior, VarianceNeverGrowsWithDataAndTheGainFollowsTheChainRule) {
  const Points data = lattice(40, 2);
  const Points x = lattice(30, 2, 0.25);
  const double lambda = 0.1;
  const Kernel kernel = kernel_of(Family::kMatern32);
  Vector before = Vector::Constant(x.rows(), 1.0);
  double gain = 0;
  for (Eigen::Index m = 1; m <= data.rows(); ++m) {
    const ExactPosterior smaller(kernel, data.topRows(m - 1), Vector(), lambda);
    const ExactPosterior posterior(kernel, data.topRows(m), Vector(), lambda);
    const Vector after = posterior.variance(x).variance;
    EXPECT_LE((after - before).maxCoeff(), solve_bound(m, lambda));
    before = after;
    gain += 0.5 * std::log1p(smaller.variance(data.row(m - 1)).variance[0] / lambda);
    EXPECT_NEAR(posterior.information_gain(), gain, 1e-12) << m;
  }
  EXPECT_LT(before.maxCoeff(), 0.5);
}

TEST(ExactPosterior, CountsEqualRepeatedPoints) {
  const Points distinct = lattice(12, 2);
  const Vector counts = Vector::LinSpaced(12, 1, 12);
  const auto total = static_cast<Eigen::Index>(counts.sum());
  Points repeated(total, 2);
  Vector rewards(total);
  Vector mean_rewards = Vector::Zero(12);
  Eigen::Index row = 0;
  for (Eigen::Index i = 0; i < 12; ++i) {
    for (int c = 0; c < static_cast<int>(counts[i]); ++c, ++row) {
      repeated.row(row) = distinct.row(i);
      rewards[row] = std::sin(static_cast<double>(row));
      mean_rewards[i] += rewards[row] / counts[i];
    }
  }
  const double lambda = 0.2;
  const Points x = lattice(20, 2, 0.1);
  for (const Family family : kFamilies) {
    const ExactPosterior collapsed(kernel_of(family), distinct, counts, lambda);
    const ExactPosterior full(kernel_of(family), repeated, Vector(), lambda);
    const double bound = solve_bound(total, lambda);
    EXPECT_LE((collapsed.mean(x, mean_rewards) - full.mean(x, rewards)).cwiseAbs().maxCoeff(),
              bound * rewards.norm());
    EXPECT_LE((collapsed.variance(x).variance - full.variance(x).variance).cwiseAbs().maxCoeff(),
              bound);
    EXPECT_NEAR(collapsed.information_gain(), full.information_gain(), 1e-12);
  }
}

// Multiplying by 4 is exact in binary64, and its square root is 2: the same bits must come out.
TEST(ExactPosterior, ScalingThePriorByFourScalesTheVarianceExactly) {
  const Points data = lattice(50, 2);
  const Points x = lattice(20, 2, 0.1);
  const Vector rewards = rewards_at(data);
  const ExactPosterior one({Family::kSquaredExponential, {0.3, 0.6}, 1.0}, data, Vector(), 0.1);
  const ExactPosterior four({Family::kSquaredExponential, {0.3, 0.6}, 4.0}, data, Vector(), 0.4);
  EXPECT_EQ(one.mean(x, rewards), four.mean(x, rewards));
  EXPECT_EQ(4 * one.variance(x).variance, four.variance(x).variance);
}

// 600 queries are three blocks; where a query stands must not matter beyond rounding.
TEST(ExactPosterior, VarianceInBlocksEqualsVarianceOneByOne) {
  const Points data = lattice(30, 2);
  const Points x = lattice(600, 2, 0.1);
  const ExactPosterior posterior(kernel_of(Family::kMatern52), data, Vector(), 0.1);
  const Vector all = posterior.variance(x).variance;
  for (const Eigen::Index i : {0, 255, 256, 511, 512, 599}) {
    EXPECT_NEAR(all[i], posterior.variance(x.row(i)).variance[0], 1e-14);
  }
}

// Around the sizes at which rounds begin and end. The later half of the data crowds into a corner
// that moves with the case, so that what the first ones bound says little about the order of the
// end.
TEST(ExactPosterior, TheLargestVarianceIsTheMaximumOfAll) {
  const Points x = lattice(400, 2, 0.25);
  for (const Family family : kFamilies) {
    for (const Eigen::Index m : {1, 3, 31, 32, 33, 64, 65, 90, 130, 200}) {
      for (const double corner : {0.0, 0.3, 0.5}) {
        Points data = lattice(m, 2, corner);
        data.bottomRows(m / 2) = 0.5 * (data.bottomRows(m / 2).array() + 2 * corner);
        const ExactPosterior posterior(kernel_of(family, 0.2), data, Vector(), 0.2);
        const double largest = posterior.variance(x).variance.maxCoeff();
        // The same sums, perhaps grouped otherwise by the vectorised solve.
        EXPECT_NEAR(posterior.largest_variance(x).variance, largest, solve_bound(m, 0.2))
            << m << " points, corner " << corner;
      }
    }
  }
}

TEST(ExactPosterior, ZeroRewardsGiveAZeroMean) {
  const Points data = lattice(20, 2);
  const ExactPosterior posterior(kernel_of(Family::kMatern32), data, Vector(), 0.1);
  EXPECT_EQ(posterior.mean(lattice(9, 2), Vector::Zero(20)), Vector::Zero(9));
}

// Nearly singular on purpose: a smooth kernel, every point twice, a regulariser far below rounding.
TEST(ExactPosterior, StaysFiniteAndInRangeWhenNearlySingular) {
  for (const double lambda : {1e-4, 1e-12, 1e-17}) {
    for (const Eigen::Index d : {1, 2, 50}) {
      for (const Eigen::Index half : {1, 2, 20}) {
        Points data(2 * half, d);
        data << lattice(half, d), lattice(half, d);
        for (const Family family : kFamilies) {
          const ExactPosterior posterior(kernel_of(family, 5.0), data, Vector(), lambda);
          EXPECT_TRUE(posterior.mean(data, rewards_at(data)).allFinite());
          expect_variances_in_range(posterior.variance(data), 1.0);
          EXPECT_TRUE(std::isfinite(posterior.information_gain()));
          EXPECT_LE(posterior.jitter(), 1e-8);
        }
      }
    }
  }
}

// At lambda = 1e-17 the variance at a data point is pure rounding and falls on both sides of 0.
TEST(ExactPosterior, CountsItsClamps) {
  const Points data = lattice(40, 1);
  const ExactPosterior posterior(kernel_of(Family::kMatern12, 1.0), data, Vector(), 1e-17);
  const VarianceResult at_data = posterior.variance(data);
  EXPECT_GT(at_data.num_clamped, 0U);
  EXPECT_LE(at_data.num_clamped, 40U);
  expect_variances_in_range(at_data, 1.0);
  const ExactPosterior regular(kernel_of(Family::kMatern12, 1.0), data, Vector(), 0.1);
  EXPECT_EQ(regular.variance(data).num_clamped, 0U);
}

TEST(ExactPosterior, ReportsTheJitterOfASingularMatrix) {
  const ExactPosterior posterior(kernel_of(Family::kSquaredExponential), Points::Zero(5, 1),
                                 Vector(), 1e-18);
  EXPECT_GT(posterior.jitter(), 0);
}

void expect_invalid_exact(const std::function<void()>& call, const std::string& field) {
  try {
    call();
    FAIL() << "accepted, expected an error about " << field;
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    EXPECT_EQ(std::string(error.what()).substr(0, field.size() + 1), field + " ") << error.what();
  }
}

TEST(ExactPosterior, NamesTheBadArgument) {
  const Kernel kernel = kernel_of(Family::kMatern32);
  const Points data = lattice(3, 2);
  Points broken = data;
  broken(1, 1) = kExactNan;
  const auto make = [&](const Points& points, const Vector& counts, double lambda) {
    return [=] { ExactPosterior(kernel, points, counts, lambda); };
  };
  for (const double lambda : {0.0, -1.0, kExactNan, std::numeric_limits<double>::infinity()}) {
    expect_invalid_exact(make(data, Vector(), lambda), "lambda");
  }
  expect_invalid_exact(make(broken, Vector(), 1.0), "data");
  expect_invalid_exact(make(data, Vector::Ones(2), 1.0), "counts");
  expect_invalid_exact(make(data, Vector::Zero(3), 1.0), "counts");
  expect_invalid_exact(make(data, Vector::Constant(3, kExactNan), 1.0), "counts");
  expect_invalid_exact(
      [&] {
        ExactPosterior({Family::kMatern32, {0.0}, 1.0}, data, Vector(), 1.0);
      },
      "kernel.lengthscale");

  const ExactPosterior posterior(kernel, data, Vector(), 1.0);
  expect_invalid_exact([&] { posterior.mean(data, Vector::Ones(2)); }, "rewards");
  expect_invalid_exact([&] { posterior.mean(data, Vector::Constant(3, kExactNan)); }, "rewards");
  expect_invalid_exact([&] { posterior.mean(lattice(3, 1), Vector::Ones(3)); }, "x");
  expect_invalid_exact([&] { posterior.variance(lattice(3, 1)); }, "x");
  expect_invalid_exact([&] { posterior.variance(broken); }, "x");
  expect_invalid_exact([&] { posterior.largest_variance(Points(0, 2)); }, "x");
}

}  // namespace
}  // namespace duets::gp
