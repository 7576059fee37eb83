// Empirical Bayes on rewards whose parameters are known. Seeds are fixed; a stated false-alarm
// probability is that of correct code under a seed chosen at random.
#include "duets/gp/fit_parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "duets/base/error.h"
#include "duets/gp/draw_test_support.h"
#include "duets/gp/exact.h"
#include "duets/gp/lattice_test_support.h"

namespace duets::gp {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Points;
using numeric::Vector;

const std::vector<double> kLengthscales{0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8};
const std::vector<double> kNoises{0.01, 0.04, 0.1, 0.2, 0.5, 1.0, 3.0};

/// Where `value` stands in a grid; -1 when it does not.
int grid_index(const std::vector<double>& grid, double value) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (std::abs(value / grid[i] - 1) < 1e-12) return static_cast<int>(i);
  }
  return -1;
}

double noise(const Fit& fit) { return fit.parameters.lambda / fit.parameters.kernel.variance; }

template <class Call>
void expect_fit_error(base::ErrorKind kind, const Call& call) {
  try {
    call();
    ADD_FAILURE() << "accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
  }
}

// Of 40 draws, 36 have to be within a grid step. Of 400 others none missed (95 %: less than 0.75 %
// do): five or more of 40 then have a probability below 2e-5.
TEST(FitParameters, FindsLengthScaleAndNoiseWithinAGridStep) {
  Draw draw(20260902);
  int lengthscale_hits = 0;
  int noise_hits = 0;
  double log_ratio = 0;
  constexpr int kDraws = 40;
  for (int i = 0; i < kDraws; ++i) {
    const Parameters truth{
        .kernel = {Family::kSquaredExponential, {0.25}, 9.0}, .lambda = 0.9, .offset = 50};
    const Points x = draw.points(150, 3);
    // The guess is wrong by a grid step or three.
    const double guess = i % 2 == 0 ? 0.25 / 1.4 : 0.25 / 0.35;
    const Fit fit =
        fit_parameters({Family::kSquaredExponential, {guess}, 1.0}, x, draw.rewards(truth, x));
    EXPECT_FALSE(fit.guessed);
    const int found = grid_index(kLengthscales, fit.parameters.kernel.lengthscales[0] / guess);
    ASSERT_GE(found, 0);
    ASSERT_GE(grid_index(kNoises, noise(fit)), 0);
    lengthscale_hits += std::abs(found - (i % 2 == 0 ? 4 : 0)) <= 1;
    noise_hits += std::abs(grid_index(kNoises, noise(fit)) - 2) <= 1;
    log_ratio += std::log(fit.parameters.kernel.variance / 9.0) / kDraws;
  }
  EXPECT_GE(lengthscale_hits, 36);
  EXPECT_GE(noise_hits, 36);
  // ln(variance / truth) had mean -0.03 and deviation 0.28 in those 400, 0.045 for the mean of 40:
  // false alarm 1e-6.
  EXPECT_NEAR(log_ratio, -0.03, 0.22);
}

TEST(FitParameters, NoCellOfTheGridIsBetter) {
  Draw draw(20260903);
  for (const Family family : kFamilies) {
    const Kernel guess{family, {0.4, 0.2}, 1.0};
    const Points x = draw.points(40, 2);
    const Vector y = draw.rewards({.kernel = {family, {0.3}, 4.0}, .lambda = 0.8, .offset = 1}, x);
    const Fit fit = fit_parameters(guess, x, y);
    EXPECT_NEAR(fit.parameters.offset, y.mean(), 1e-14);
    EXPECT_EQ(fit.log_evidence, log_evidence(guess, fit.parameters, x, y));
    for (const double factor : kLengthscales) {
      for (const double relative : kNoises) {
        // Near the variance found and far from it, where that of other cells may be.
        for (const double scale : {0.3, 0.8, 0.95, 1.0, 1.05, 1.25, 3.0}) {
          Parameters other = fit.parameters;
          other.kernel.lengthscales = {0.4 * factor, 0.2 * factor};
          other.kernel.variance = fit.parameters.kernel.variance * scale;
          other.lambda = relative * other.kernel.variance;
          EXPECT_LE(log_evidence(guess, other, x, y), fit.log_evidence + 1e-9);
        }
      }
    }
  }
}

TEST(FitParameters, PowersOfTwoScaleExactly) {
  Draw draw(20260904);
  const Kernel guess{Family::kMatern52, {0.4}, 1.0};
  for (const Eigen::Index n : {12, 60}) {
    const Points x = draw.points(n, 3);
    const Vector y =
        draw.rewards({.kernel = {Family::kMatern52, {0.3}, 1.0}, .lambda = 0.1, .offset = 2}, x);
    for (const bool relevance : {false, true}) {
      const Fit one = fit_parameters(guess, x, y, {.relevance = relevance});
      for (const int exponent : {-300, -1, 7, 300}) {
        Parameters expected = one.parameters;
        expected.kernel.variance = std::ldexp(expected.kernel.variance, 2 * exponent);
        expected.lambda = std::ldexp(expected.lambda, 2 * exponent);
        expected.offset = std::ldexp(expected.offset, exponent);
        const Vector scaled = y * std::ldexp(1.0, exponent);
        EXPECT_EQ(fit_parameters(guess, x, scaled, {.relevance = relevance}).parameters, expected);
      }
    }
  }
}

TEST(FitParameters, OtherUnitsGiveTheSameCell) {
  Draw draw(20260905);
  const Kernel guess{Family::kMatern32, {0.4}, 1.0};
  for (int i = 0; i < 20; ++i) {
    const Points x = draw.points(40, 2);
    const Vector y = draw.rewards({.kernel = {Family::kMatern32, {0.3}, 1.0}, .lambda = 0.2}, x);
    const Fit one = fit_parameters(guess, x, y, {.relevance = true});
    for (const double a : {-1.0, 0.1, -1234.5}) {
      const double c = 77.7 * a;
      const Fit other = fit_parameters(guess, x, a * y.array() + c, {.relevance = true});
      EXPECT_EQ(other.parameters.kernel.lengthscales, one.parameters.kernel.lengthscales);
      EXPECT_NEAR(noise(other) / noise(one), 1, 1e-14);
      // Rewards near 78 standard deviations from 0 have lost two digits; K + lambda I has a
      // condition number of 40 / 0.01.
      EXPECT_NEAR(other.parameters.kernel.variance / (a * a * one.parameters.kernel.variance), 1,
                  1e-10);
      EXPECT_NEAR((other.parameters.offset - c) / a, one.parameters.offset, 1e-12);
    }
  }
}

TEST(FitParameters, BelowTwentyRewardsOnlyTheirScaleIsLearned) {
  const Kernel guess{Family::kMatern52, {0.4}, 123.0};
  const Points x = lattice(19, 2);
  const Vector y = rewards_at(x);
  const Fit fit = fit_parameters(guess, x, y, {.relevance = true});
  EXPECT_TRUE(fit.guessed);
  const double variance = (y.array() - y.mean()).square().sum() / 18;
  EXPECT_EQ(fit.parameters.kernel.lengthscales, guess.lengthscales);
  EXPECT_NEAR(fit.parameters.kernel.variance, variance, 1e-14);
  EXPECT_EQ(fit.parameters.lambda, 0.1 * fit.parameters.kernel.variance);
  EXPECT_NEAR(fit.parameters.offset, y.mean(), 1e-15);
}

// Twenty different points of which no two are related at any length scale of the grid: K = I in
// every cell, noise and signal cannot be distinguished, and the priors alone decide.
TEST(FitParameters, PriorsDecideWhereRewardsSayNothing) {
  Points x(20, 1);
  for (Eigen::Index i = 0; i < 20; ++i) x(i, 0) = 1000.0 * static_cast<double>(i);
  const Vector y = Draw(20260906).normals(20);
  const Fit fit = fit_parameters({Family::kMatern52, {0.4}, 1.0}, x, y);
  EXPECT_FALSE(fit.guessed);
  EXPECT_EQ(fit.parameters.kernel.lengthscales, std::vector<double>{0.4});
  EXPECT_NEAR(noise(fit), 0.1, 1e-15);
  // Signal and noise share what there is.
  EXPECT_NEAR(1.1 * fit.parameters.kernel.variance, (y.array() - y.mean()).square().mean(), 1e-13);
}

TEST(FitParameters, EqualRewardsSayNothingAboutScale) {
  const Kernel guess{Family::kMatern52, {0.4}, 5.0};
  for (const Eigen::Index n : {0, 1, 2, 30}) {
    for (const double reward : {0.0, 0.1, -1e9, 1e-200}) {
      const Fit fit = fit_parameters(guess, lattice(n, 2), Vector::Constant(n, reward));
      EXPECT_TRUE(fit.guessed);
      EXPECT_EQ(fit.parameters.kernel, (Kernel{Family::kMatern52, {0.4}, 1.0}));
      EXPECT_EQ(fit.parameters.lambda, 0.1);
      EXPECT_EQ(fit.parameters.offset, n == 0 ? 0 : reward);
      EXPECT_TRUE(std::isfinite(fit.log_evidence));
    }
  }
  // A spread whose square is no normal number.
  Vector tiny = Vector::Zero(30);
  tiny[3] = 1e-200;
  EXPECT_EQ(fit_parameters(guess, lattice(30, 2), tiny).parameters.kernel.variance, 1);
}

TEST(FitParameters, DegeneratePointsAreFitted) {
  Draw draw(20260907);
  const Vector y = draw.normals(40);
  for (const Family family : kFamilies) {
    for (const Eigen::Index d : {1, 50}) {
      Points twice = draw.points(40, d);
      twice.bottomRows(20) = twice.topRows(20).eval();
      for (const Points& x : {twice, Points(Points::Constant(40, d, 0.3))}) {
        for (const bool relevance : {false, true}) {
          const Fit fit = fit_parameters({family, {0.4}, 1.0}, x, y, {.relevance = relevance});
          EXPECT_FALSE(fit.guessed);
          EXPECT_TRUE(std::isfinite(fit.log_evidence));
          EXPECT_GT(fit.parameters.lambda, 0);
          EXPECT_NO_THROW(kernel::validate(fit.parameters.kernel, static_cast<std::size_t>(d)));
        }
      }
    }
  }
}

// A smooth function of features 1 and 4 and little noise. Nothing is left to chance but the points:
// for 300 other sets of them no bound failed (95 %: less than 1 % do).
TEST(FitParameters, RelevanceFindsTheFeaturesThatMatter) {
  Draw draw(20260909);
  const Kernel guess{Family::kMatern52, {0.7}, 1.0};
  for (const Eigen::Index n : {60, 120}) {
    const Points x = draw.points(n, 6);
    const Vector y = (5 * x.col(1).array()).sin() + 2 * x.col(4).array().square() +
                     0.1 * draw.normals(n).array();
    const Fit shared = fit_parameters(guess, x, y);
    const Fit each = fit_parameters(guess, x, y, {.relevance = true});
    EXPECT_EQ(shared.parameters.kernel.lengthscales.size(), 1u);
    const std::vector<double>& found = each.parameters.kernel.lengthscales;
    ASSERT_EQ(found.size(), 6u);
    EXPECT_GT(each.log_evidence, shared.log_evidence + 0.5 * 6);
    for (const std::size_t k : {0u, 2u, 3u, 5u}) {
      EXPECT_GE(found[k], 1.9 * std::max(found[1], found[4])) << k;
    }
    // The purpose: unseen rewards are predicted better.
    const Points fresh = draw.points(200, 6);
    const Vector truth = (5 * fresh.col(1).array()).sin() + 2 * fresh.col(4).array().square();
    const auto error = [&](const Parameters& parameters) {
      const ExactPosterior posterior(parameters.kernel, x, {}, parameters.lambda);
      const Vector mean = posterior.mean(fresh, (y.array() - parameters.offset).matrix());
      return (mean.array() + parameters.offset - truth.array()).square().mean();
    };
    EXPECT_LT(error(each.parameters), 0.5 * error(shared.parameters));
  }
}

// A feature that is the same everywhere leaves the likelihood alone: the prior draws its length
// scale to the middle of the others.
TEST(FitParameters, ConstantFeatureFollowsTheOthers) {
  Draw draw(20260910);
  Points x = draw.points(80, 4);
  x.col(2).setConstant(0.25);
  const Vector y = (9 * x.col(0).array()).sin() + 0.1 * draw.normals(80).array();
  const Fit fit = fit_parameters({Family::kMatern52, {0.5}, 1.0}, x, y, {.relevance = true});
  const std::vector<double>& found = fit.parameters.kernel.lengthscales;
  ASSERT_EQ(found.size(), 4u);
  EXPECT_GT(found[2], found[0]);
  EXPECT_LT(found[2], std::max(found[1], found[3]));
}

// Chance alone gains less than is asked for in most draws: of 400 others 14 % got length scales of
// their own. 10 or more of 20 then have probability 2e-4.
TEST(FitParameters, RelevanceIsNotUsedWhereAllFeaturesMatterEqually) {
  Draw draw(20260911);
  int own = 0;
  for (int i = 0; i < 20; ++i) {
    const Parameters truth{.kernel = {Family::kMatern52, {0.7}, 1.0}, .lambda = 0.1};
    const Points x = draw.points(40, 6);
    const Fit fit = fit_parameters(truth.kernel, x, draw.rewards(truth, x), {.relevance = true});
    own += fit.parameters.kernel.lengthscales.size() == 6;
  }
  EXPECT_LE(own, 9);
}

// A rough and a smooth sample path of 200 rewards with little noise: the family with which they
// were drawn is found from either guess; without the option it is the guess's.
TEST(FitParameters, FamilyIsFoundByEvidence) {
  Draw draw(20261118);
  for (const Family family : {Family::kSquaredExponential, Family::kMatern52}) {
    const Parameters truth{.kernel = {family, {0.3}, 1.0}, .lambda = 0.01};
    const Points x = draw.points(200, 2);
    const Vector y = draw.rewards(truth, x);
    for (const Family guess : {Family::kSquaredExponential, Family::kMatern52}) {
      const Kernel start{guess, {0.3}, 1.0};
      EXPECT_EQ(fit_parameters(start, x, y, {.family = true}).parameters.kernel.family, family);
      EXPECT_EQ(fit_parameters(start, x, y).parameters.kernel.family, guess);
    }
  }
}

TEST(FitParameters, UsesTheFirstRows) {
  const Kernel guess{Family::kMatern52, {0.4}, 1.0};
  Draw draw(20260908);
  const Points x = draw.points(90, 2);
  const Vector y = draw.normals(90);
  const Fit fit = fit_parameters(guess, x, y, {.max_rows = 50});
  EXPECT_EQ(fit.parameters, fit_parameters(guess, x.topRows(50), y.head(50)).parameters);
  EXPECT_NE(fit.parameters, fit_parameters(guess, x, y).parameters);
}

TEST(FitParameters, RefusesNumbersThatAreNotFinite) {
  const Kernel guess{Family::kMatern52, {0.4}, 1.0};
  const Points x = lattice(30, 2);
  const Vector y = rewards_at(x);
  const auto invalid = [](const auto& call) { expect_fit_error(base::ErrorKind::kInvalid, call); };
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Points bad_x = x;
    bad_x(29, 1) = bad;
    invalid([&] { fit_parameters(guess, bad_x, y); });
    Vector bad_y = y;
    bad_y[29] = bad;
    invalid([&] { fit_parameters(guess, x, bad_y); });
    invalid([&] { fit_parameters({Family::kMatern52, {bad}, 1.0}, x, y); });
  }
  invalid([&] { fit_parameters(guess, x, y.head(29)); });
  invalid([&] { fit_parameters({Family::kMatern52, {1, 2, 3}, 1.0}, x, y); });
  invalid([&] { fit_parameters(guess, x, 1e200 * y); });
  invalid([&] { fit_parameters(guess, x, y, {.max_rows = 0}); });
  // Finite features whose distances are not.
  expect_fit_error(base::ErrorKind::kNumeric, [&] {
    fit_parameters({Family::kMatern52, {1e-10}, 1.0}, 1e300 * x, y);
  });
}

}  // namespace
}  // namespace duets::gp
