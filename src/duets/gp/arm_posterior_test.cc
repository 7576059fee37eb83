#include "duets/gp/arm_posterior.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "duets/base/error.h"
#include "duets/gp/arm_posterior_test_support.h"

namespace duets::gp {
namespace {

using numeric::Points;
using numeric::Vector;

// Both are backward stable: they differ by a small multiple of n eps cond, n <= 200 observations
// and cond <= 1 + n 3 / 0.2, that is 1e-10 at the very worst and 1e-13 as a rule.
constexpr double kAgreement = 1e-11;

RC_GTEST_PROP(ArmPosterior, EqualsTheExactPosterior, ()) {
  const std::shared_ptr<const Arms> arms = random_arms();
  constexpr double kLambda = 0.2;
  ArmPosterior posterior(arms, kLambda);
  const Points free = random_points(4, arms->features().cols());
  for (Eigen::Index i = 0; i < 4; ++i) posterior.add_site(free.row(i));
  const std::size_t few = std::min<std::size_t>(5, arms->size());
  std::vector<Observation> data;
  const int num_blocks = *rc::gen::inRange(0, 12);
  for (int b = 0; b < num_blocks; ++b) {
    std::vector<Observation> block = random_block(few + 4, 8);
    // Beyond the few arms come the free sites, which stand behind all arms.
    for (Observation& one : block) {
      if (one.site >= few) one.site += arms->size() - few;
    }
    if (*rc::gen::arbitrary<bool>()) posterior.prepare(std::vector<std::size_t>{0, few - 1, 0});
    posterior.observe(block);
    data.insert(data.end(), block.begin(), block.end());

    const Difference arm = difference(posterior, data, kLambda, arms->features(), posterior.mean(),
                                      posterior.variance(), posterior.log_det());
    RC_ASSERT(arm.mean < kAgreement);
    RC_ASSERT(arm.variance < kAgreement);
    RC_ASSERT(arm.log_det < 10 * kAgreement);
    RC_ASSERT(posterior.variance().minCoeff() >= 0);
    RC_ASSERT(posterior.variance().maxCoeff() <= arms->prior_variance());
  }
  const Points x = random_points(6, arms->features().cols());
  const PointPosterior at = posterior.at(x);
  const Difference off =
      difference(posterior, data, kLambda, x, at.mean, at.variance, posterior.log_det());
  RC_ASSERT(off.mean < kAgreement);
  RC_ASSERT(off.variance < kAgreement);
  RC_ASSERT(posterior.num_observations() == data.size());
}

Points line(Eigen::Index n) {
  Points out(n, 1);
  for (Eigen::Index i = 0; i < n; ++i) out(i, 0) = static_cast<double>(i) / static_cast<double>(n);
  return out;
}

std::shared_ptr<const Arms> line_arms(Eigen::Index n, double lengthscale = 0.2) {
  return std::make_shared<Arms>(kernel::Kernel{.lengthscales = {lengthscale}}, line(n));
}

/// 500 pulls in a pattern with runs, returns and new arms.
std::vector<Observation> many_pulls(std::size_t num_arms) {
  std::vector<Observation> out;
  for (std::size_t i = 0; i < 500; ++i) {
    const std::size_t arm = (i % 7 < 3 ? i / 40 : (i * i) % num_arms) % num_arms;
    out.push_back({.site = arm, .reward = std::sin(static_cast<double>(i))});
  }
  return out;
}

/// The mean, variance and information of `all` at every arm, as a dense posterior has them.
void expect_exact(const ArmPosterior& posterior, const std::vector<Observation>& all,
                  double lambda) {
  const Difference got = difference(posterior, all, lambda, posterior.arms().features(),
                                    posterior.mean(), posterior.variance(), posterior.log_det());
  EXPECT_LT(got.mean, kAgreement);
  EXPECT_LT(got.variance, kAgreement);
  EXPECT_LT(got.log_det, kAgreement);
}

TEST(ArmPosterior, StaysWithTheExactPosteriorOver500Pulls) {
  const auto arms = line_arms(200);
  const std::vector<Observation> pulls = many_pulls(200);
  ArmPosterior posterior(arms, 0.2);
  for (const Observation& pull : pulls) posterior.observe(pull);
  const Difference got = difference(posterior, pulls, 0.2, arms->features(), posterior.mean(),
                                    posterior.variance(), posterior.log_det());
  // 500 eps times a condition of 500 / 0.2 is 3e-10; the contract says 1e-11.
  EXPECT_LT(got.mean, 1e-11);
  EXPECT_LT(got.variance, 1e-11);
  EXPECT_LT(got.log_det, 1e-10);
}

// The condition is 500 / 1e-6 here and rounding of the rewards' part may reach 500 eps times that,
// 6e-5; the contract says 1e-7. A variance has no such factor: it stays a difference of numbers of
// order 1.
TEST(ArmPosterior, SmallLambdaKeepsItsBound) {
  const auto arms = line_arms(200);
  const std::vector<Observation> pulls = many_pulls(200);
  ArmPosterior posterior(arms, 1e-6);
  for (std::size_t i = 0; i < pulls.size(); i += 10) {
    posterior.observe(std::span(pulls).subspan(i, 10));
  }
  const Difference got = difference(posterior, pulls, 1e-6, arms->features(), posterior.mean(),
                                    posterior.variance(), posterior.log_det());
  EXPECT_LT(got.mean, 1e-7);
  EXPECT_LT(got.variance, 1e-12);
  EXPECT_GE(posterior.variance().minCoeff(), 0.0);
  EXPECT_TRUE(posterior.mean().allFinite());
}

// A lambda that is lost beside the prior: it acts as kSmallestNoise, and nothing breaks. Rewards of
// order 1 and a condition of 60 / 1e-12 bound the mean.
TEST(ArmPosterior, VanishingLambdaKeepsNumbersFinite) {
  for (const double lambda : {1e-16, 1e-30, 1e-100}) {
    const auto arms = line_arms(60);
    ArmPosterior posterior(arms, lambda);
    for (const Observation& pull : many_pulls(60)) posterior.observe(pull);
    EXPECT_TRUE(posterior.mean().allFinite()) << lambda;
    EXPECT_LE(posterior.mean().cwiseAbs().maxCoeff(), 1e6) << lambda;
    EXPECT_GE(posterior.variance().minCoeff(), 0.0) << lambda;
    EXPECT_EQ(posterior.lambda(), ArmPosterior::kSmallestNoise) << lambda;
  }
}

TEST(ArmPosterior, ASiteObservedTwiceInSuccessionAddsNoRow) {
  ArmPosterior posterior(line_arms(10), 0.2);
  posterior.observe({.site = 3, .reward = 1.0});
  posterior.observe({.site = 3, .reward = 2.0});
  const std::vector<Observation> more{{3, 0.5}, {3, 0.25}};
  posterior.observe(more);
  EXPECT_EQ(posterior.num_rows(), 1U);
  const std::vector<Observation> all{{3, 1.0}, {3, 2.0}, {3, 0.5}, {3, 0.25}, {5, 1.0}};
  posterior.observe(all.back());
  EXPECT_EQ(posterior.num_rows(), 2U);
  expect_exact(posterior, all, 0.2);
}

TEST(ArmPosterior, ColumnsThatHaveSeenARowFollowItsRevision) {
  ArmPosterior posterior(line_arms(10), 0.2);
  const std::size_t free = posterior.add_site(Vector::Constant(1, 0.37));
  const std::vector<Observation> all{{3, 1.0}, {3, 2.0}, {5, 0.5}, {free, 0.25}};
  posterior.observe(all[0]);
  posterior.prepare(std::vector<std::size_t>{5, free});
  posterior.observe(all[1]);
  posterior.observe(std::span(all).subspan(2));
  expect_exact(posterior, all, 0.2);
}

TEST(ArmPosterior, RowsStayBoundedAndARebuildChangesNothing) {
  ArmPosterior posterior(line_arms(30), 0.2);
  std::vector<Observation> all;
  double before = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    all.push_back({.site = 4 * (i % 3), .reward = static_cast<double>(i % 5)});
    posterior.observe(all.back());
    EXPECT_LE(posterior.num_rows(), 2U * 3U + 64U);
    EXPECT_GT(posterior.log_det(), before);
    before = posterior.log_det();
  }
  expect_exact(posterior, all, 0.2);
}

TEST(ArmPosterior, LogDeterminantGrowsByOneTermPerQuery) {
  ArmPosterior posterior(line_arms(20), 0.3);
  double sum = 0;
  for (const std::size_t arm : {1U, 1U, 7U, 1U, 7U, 7U, 19U, 0U}) {
    sum += std::log1p(posterior.variance_at(arm) / 0.3);
    posterior.observe({.site = arm, .reward = 0});
    EXPECT_NEAR(posterior.log_det(), sum, 1e-12);  // 8 terms of order 1
  }
}

TEST(ArmPosterior, DuplicateArmsShareTheirPosterior) {
  Points x(4, 2);
  x << 0.1, 0.2, 0.1, 0.2, 0.9, 0.4, 0.1, 0.2;
  ArmPosterior posterior(std::make_shared<Arms>(kernel::Kernel{}, x), 0.2);
  const std::vector<Observation> block{{0, 1.0}, {1, 2.0}, {3, 1.5}};
  posterior.observe(block);
  EXPECT_NEAR(posterior.mean()[0], posterior.mean()[1], 1e-15);
  EXPECT_NEAR(posterior.mean()[0], posterior.mean()[3], 1e-15);
  // Three pulls of one point: the mean is shrunk by 3 / (3 + lambda).
  EXPECT_NEAR(posterior.mean()[0], 4.5 / 3.2, 1e-14);
  EXPECT_NEAR(posterior.variance()[0], 0.2 / 3.2, 1e-14);
}

TEST(ArmPosterior, SitesAreIdentifiedByTheirCoordinates) {
  ArmPosterior posterior(line_arms(5), 0.2);
  const std::size_t first = posterior.add_site(Vector::Constant(1, 0.33));
  EXPECT_EQ(first, 5U);
  EXPECT_EQ(posterior.add_site(Vector::Constant(1, 0.34)), 6U);
  EXPECT_EQ(posterior.add_site(Vector::Constant(1, 0.33)), first);
  EXPECT_EQ(posterior.features(first)[0], 0.33);
  EXPECT_EQ(posterior.features(2)[0], 0.4);
  EXPECT_NEAR(posterior.variance_at(first), 1.0, 0.0);
  posterior.observe({.site = first, .reward = 2.4});
  EXPECT_NEAR(posterior.mean_at(first), 2.4 / 1.2, 1e-15);
  EXPECT_NEAR(posterior.variance_at(first), 0.2 / 1.2, 1e-15);
}

TEST(ArmPosterior, ACopyIsIndependent) {
  ArmPosterior posterior(line_arms(5), 0.2);
  posterior.observe({.site = 1, .reward = 1});
  ArmPosterior copy = posterior;
  copy.observe({.site = 4, .reward = 3});
  EXPECT_EQ(posterior.num_observations(), 1U);
  EXPECT_NE(copy.mean(), posterior.mean());
}

TEST(ArmPosterior, ARefusedBlockChangesNothing) {
  EXPECT_THROW(ArmPosterior(nullptr, 0.2), base::Error);
  EXPECT_THROW(ArmPosterior(line_arms(5), 0.0), base::Error);
  EXPECT_THROW(ArmPosterior(line_arms(5), std::nan("")), base::Error);
  ArmPosterior posterior(line_arms(5), 0.2);
  const std::vector<Observation> outside{{0, 1.0}, {5, 1.0}};
  EXPECT_THROW(posterior.observe(outside), base::Error);
  EXPECT_THROW(posterior.observe({.site = 0, .reward = std::nan("")}), base::Error);
  EXPECT_THROW(posterior.add_site(Vector::Zero(2)), base::Error);
  EXPECT_THROW(posterior.add_site(Vector::Constant(1, INFINITY)), base::Error);
  EXPECT_EQ(posterior.num_observations(), 0U);
  EXPECT_EQ(posterior.mean(), Vector::Zero(5));
}

}  // namespace
}  // namespace duets::gp
