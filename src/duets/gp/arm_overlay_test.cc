#include "duets/gp/arm_overlay.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "duets/base/error.h"
#include "duets/gp/arm_posterior_test_support.h"

namespace duets::gp {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr double kOverlayLambda = 0.2;
// As in arm_posterior_test.cc: fewer observations, and one level more.
constexpr double kOverlayAgreement = 1e-11;

void expect_exact(const ArmPosterior& pool, const ArmOverlay& overlay,
                  const std::vector<Observation>& data) {
  const Difference got =
      difference(pool, data, kOverlayLambda, pool.arms().features(), overlay.mean(),
                 overlay.variance(), pool.log_det() + overlay.log_det_growth());
  RC_ASSERT(got.mean < kOverlayAgreement);
  RC_ASSERT(got.variance < kOverlayAgreement);
  RC_ASSERT(got.log_det < 10 * kOverlayAgreement);
  const Points x = random_points(3, pool.arms().features().cols());
  const PointPosterior at = overlay.at(x);
  const Difference off = difference(pool, data, kOverlayLambda, x, at.mean, at.variance,
                                    pool.log_det() + overlay.log_det_growth());
  RC_ASSERT(off.mean < kOverlayAgreement);
  RC_ASSERT(off.variance < kOverlayAgreement);
}

// Two agents pull on their own and pool what they have, several times.
RC_GTEST_PROP(ArmOverlay, EqualsTheExactPosteriorOfPoolAndOwn, ()) {
  const std::shared_ptr<const Arms> arms = random_arms();
  ArmPosterior pool(arms, kOverlayLambda);
  const Points free = random_points(2, arms->features().cols());
  pool.add_site(free.row(0));
  pool.add_site(free.row(1));
  const std::size_t num_sites = arms->size() + 2;
  std::vector<ArmOverlay> agents(2, ArmOverlay(pool));
  std::vector<Observation> pooled;
  const int rounds = *rc::gen::inRange(1, 5);
  for (int round = 0; round < rounds; ++round) {
    std::vector<Observation> fresh;
    for (ArmOverlay& agent : agents) {
      std::vector<Observation> known = pooled;
      for (const Observation& one : random_block(num_sites, 6)) {
        const int times = *rc::gen::inRange(1, 4);
        for (int i = 0; i < times; ++i) {
          const double expected = std::log1p(agent.variance_at(one.site) / kOverlayLambda);
          const double before = agent.log_det_growth();
          agent.observe(one);
          RC_ASSERT(std::abs(agent.log_det_growth() - before - expected) < kOverlayAgreement);
          known.push_back(one);
          fresh.push_back(one);
        }
      }
      expect_exact(pool, agent, known);
    }
    pool.observe(fresh);
    pooled.insert(pooled.end(), fresh.begin(), fresh.end());
    for (ArmOverlay& agent : agents) {
      agent.reset();
      expect_exact(pool, agent, pooled);
    }
  }
}

TEST(ArmOverlay, LeavesThePoolAlone) {
  Points x(3, 1);
  x << 0.0, 0.5, 1.0;
  ArmPosterior pool(std::make_shared<Arms>(kernel::Kernel{}, x), kOverlayLambda);
  pool.observe({.site = 0, .reward = 1});
  const Vector mean = pool.mean();
  ArmOverlay agent(pool);
  agent.observe({.site = 2, .reward = 5});
  EXPECT_EQ(pool.mean(), mean);
  EXPECT_EQ(pool.num_observations(), 1U);
  EXPECT_NE(agent.mean(), mean);
}

TEST(ArmOverlay, RefusesAPoolThatHasChanged) {
  Points x(2, 1);
  x << 0.0, 0.5;
  ArmPosterior pool(std::make_shared<Arms>(kernel::Kernel{}, x), kOverlayLambda);
  ArmOverlay agent(pool);
  EXPECT_THROW(agent.observe({.site = 0, .reward = NAN}), base::Error);
  EXPECT_THROW(agent.observe({.site = 2, .reward = 0}), base::Error);
  pool.observe({.site = 0, .reward = 1});
  EXPECT_THROW(agent.observe({.site = 0, .reward = 1}), base::Error);
  EXPECT_THROW(agent.at(x), base::Error);
  EXPECT_THROW(agent.variance_at(0), base::Error);
  agent.reset();
  agent.observe({.site = 0, .reward = 1});
  EXPECT_NEAR(agent.variance()[0], kOverlayLambda / (2 + kOverlayLambda), 1e-15);
}

}  // namespace
}  // namespace duets::gp
