// Evidence and residuals against dense formulas. Seeds are fixed; a stated false-alarm probability
// is that of correct code under a seed chosen at random.
#include "duets/gp/evidence.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>

#include "duets/base/error.h"
#include "duets/gp/draw_test_support.h"
#include "duets/gp/lattice_test_support.h"

namespace duets::gp {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

constexpr double kEvidenceNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// log N(y; offset, K + lambda I), word for word.
double dense_log_likelihood(const Parameters& parameters, const Points& x, const Vector& y) {
  const Matrix covariance =
      kernel::gram(parameters.kernel, x) + parameters.lambda * Matrix::Identity(x.rows(), x.rows());
  const Eigen::LLT<Matrix> llt(covariance);
  const Vector centred = y.array() - parameters.offset;
  const double log_det = 2 * Matrix(llt.matrixL()).diagonal().array().log().sum();
  return -0.5 * (centred.dot(llt.solve(centred)) + log_det +
                 static_cast<double>(y.size()) * std::log(2 * std::numbers::pi));
}

void expect_invalid_evidence(const Kernel& guess, const Parameters& parameters, const Points& x,
                             const Vector& y) {
  try {
    log_evidence(guess, parameters, x, y);
    ADD_FAILURE() << "accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid) << error.what();
  }
}

TEST(LogEvidence, EqualsTheDenseFormula) {
  for (const Family family : kFamilies) {
    for (const Eigen::Index d : {1, 3, 50}) {
      const Points x = lattice(60, d);
      const Kernel guess{family, {0.3}, 7.0};
      const Parameters parameters{.kernel = {family, {0.6}, 2.5}, .lambda = 0.05, .offset = 1.5};
      // ln 2 for the length scale and ln(0.02 / 0.1) for the noise, the latter with variance 4.
      const double prior = -0.5 * (std::pow(std::log(2.0), 2) + std::pow(std::log(0.2), 2) / 4);
      const double expected = dense_log_likelihood(parameters, x, rewards_at(x)) + prior;
      EXPECT_NEAR(log_evidence(guess, parameters, x, rewards_at(x)), expected,
                  1e-10 * std::abs(expected))
          << base::name_of(family) << " d = " << d;
    }
  }
}

TEST(LogEvidence, DoesNotOverflowInAnyUnits) {
  const Points x = lattice(30, 2);
  const Kernel guess{Family::kMatern52, {0.4}, 1.0};
  const Parameters one{.kernel = guess, .lambda = 0.1};
  const double expected = log_evidence(guess, one, x, rewards_at(x));
  for (const int exponent : {-400, 400}) {
    Parameters scaled = one;
    scaled.kernel.variance = std::ldexp(1.0, 2 * exponent);
    scaled.lambda = std::ldexp(0.1, 2 * exponent);
    const Vector rewards = rewards_at(x) * std::ldexp(1.0, exponent);
    // A density in other units: 30 ln(2^exponent) less. Rounding of that is 1e-12.
    EXPECT_NEAR(log_evidence(guess, scaled, x, rewards) + 30 * exponent * std::numbers::ln2,
                expected, 1e-10);
  }
}

TEST(LogEvidence, WithoutRewardsIsThePrior) {
  const Kernel guess{Family::kMatern52, {0.4}, 1.0};
  const Parameters parameters{.kernel = guess, .lambda = kExpectedNoise};
  EXPECT_EQ(log_evidence(guess, parameters, Points(0, 3), Vector()), 0);
}

TEST(LogEvidence, DuplicatesAndTinyNoiseAreFactored) {
  Points x = lattice(20, 2);
  x.bottomRows(10) = x.topRows(10).eval();
  const Kernel guess{Family::kSquaredExponential, {0.4}, 1.0};
  const Parameters parameters{.kernel = guess, .lambda = 1e-14};
  EXPECT_TRUE(std::isfinite(log_evidence(guess, parameters, x, rewards_at(x))));
}

TEST(LogEvidence, RefusesNumbersThatAreNotFinite) {
  const Points x = lattice(5, 2);
  const Vector y = rewards_at(x);
  const Kernel guess{Family::kMatern52, {0.4}, 1.0};
  const Parameters good{.kernel = guess};
  for (const double bad : {kEvidenceNan, kInfinity}) {
    Points bad_x = x;
    bad_x(3, 1) = bad;
    expect_invalid_evidence(guess, good, bad_x, y);
    Vector bad_y = y;
    bad_y[2] = bad;
    expect_invalid_evidence(guess, good, x, bad_y);
    expect_invalid_evidence(guess, {.kernel = guess, .lambda = bad}, x, y);
    expect_invalid_evidence(guess, {.kernel = guess, .offset = bad}, x, y);
    expect_invalid_evidence({Family::kMatern52, {bad}, 1.0}, good, x, y);
  }
  expect_invalid_evidence(guess, good, x, y.head(4));
  expect_invalid_evidence(guess, {.kernel = {Family::kMatern52, {1, 2, 3}, 1.0}}, x, y);
}

TEST(LogPrior, ASharedFactorCountsOnceAndSoDoesEachDeviation) {
  const Kernel guess{Family::kMatern52, {0.2, 0.4}, 5.0};
  const double shift = std::log(2.0);
  const auto prior = [&](std::vector<double> lengthscales) {
    return log_prior(guess, {.kernel = {Family::kMatern52, std::move(lengthscales), 3.0},
                             .lambda = 3.0 * kExpectedNoise});
  };
  EXPECT_NEAR(prior({0.2, 0.4}), 0, 1e-15);
  EXPECT_NEAR(prior({0.4, 0.8}), -0.5 * shift * shift, 1e-15);
  // Mean 0, deviations +-ln 2.
  EXPECT_NEAR(prior({0.4, 0.2}), -shift * shift, 1e-15);
}

TEST(StandardisedResiduals, OneSeenRewardByHand) {
  const Parameters parameters{
      .kernel = {Family::kSquaredExponential, {2.0}, 4.0}, .lambda = 1.0, .offset = 10.0};
  const Points x{{0.0}, {2.0}};
  const double k = 4 * std::exp(-0.5);
  const Vector residuals = standardised_residuals(
      parameters, Points::Zero(1, 1), Vector::Constant(1, 15.0), x, Vector{{14.0, 9.0}});
  EXPECT_NEAR(residuals[0], 0, 1e-15);  // the mean is 10 + 5 * 4/5
  EXPECT_NEAR(residuals[1], (-1 - k) / std::sqrt(5 - k * k / 5), 1e-14);
}

// Each of 200 independent draws has a mean square of expectation 1; neighbours are correlated, so
// its deviation was measured: 0.026 for the average of 200, in 40 other batches. The bound is six
// of those, false alarm 1e-8.
TEST(StandardisedResiduals, MeanSquareIsOneForTheRightModelOnly) {
  Draw draw(20260901);
  const Parameters truth{.kernel = {Family::kMatern52, {0.3}, 4.0}, .lambda = 0.4, .offset = -3};
  Parameters wide = truth;
  wide.kernel.variance *= 25;
  wide.lambda *= 25;
  Parameters narrow = truth;
  narrow.kernel.variance = 0.1;
  narrow.lambda = 0.01;
  constexpr int kDraws = 200;
  double right = 0;
  double too_wide = 0;
  double too_narrow = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Points x = draw.points(60, 2);
    const Vector y = draw.rewards(truth, x);
    const auto mean_square = [&](const Parameters& parameters) {
      return standardised_residuals(parameters, x.topRows(40), y.head(40), x.bottomRows(20),
                                    y.tail(20))
                 .squaredNorm() /
             20;
    };
    right += mean_square(truth) / kDraws;
    too_wide += mean_square(wide) / kDraws;
    too_narrow += mean_square(narrow) / kDraws;
  }
  EXPECT_NEAR(right, 1, 0.16);
  // 25 times the variance everywhere: the same means, a 25th of the squares.
  EXPECT_NEAR(too_wide, right / 25, 1e-9);
  // Variance and noise together are 0.11 or less where the noise alone is 0.4.
  EXPECT_GT(too_narrow, 0.4 / 0.11);
}

TEST(StandardisedResiduals, WithoutSeenRewardsTheyAreThoseOfThePrior) {
  const Parameters parameters{
      .kernel = {Family::kMatern12, {1.0}, 3.0}, .lambda = 1.0, .offset = 1.0};
  const Vector residuals = standardised_residuals(parameters, Points(0, 2), Vector(), lattice(2, 2),
                                                  Vector{{5.0, -1.0}});
  EXPECT_NEAR(residuals[0], 2, 1e-15);
  EXPECT_NEAR(residuals[1], -1, 1e-15);
}

}  // namespace
}  // namespace duets::gp
