#include "duets/baselines/acquisition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "duets/base/error.h"
#include "duets/baselines/arm_index.h"
#include "duets/baselines/arms_test_support.h"

namespace duets::baselines {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr base::AgentId kAgent{3};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

const PointValues kNowhere = [](const Points&) -> Vector {
  throw base::Error(base::ErrorKind::kInvalid, "a finite domain has no other points");
};

Setting continuous(const domain::Domain& domain, const Points& pool) {
  Setting setting = finite_setting(4, 10, pool);
  setting.domain = std::make_shared<const domain::Domain>(domain);
  return setting;
}

TEST(ConfidenceBound, IsMeanPlusBetaDeviations) {
  const Vector mean{{1.0, -2.0}};
  const Vector variance{{4.0, 0.0}};
  EXPECT_EQ(confidence_bound(mean, variance, 0.5), (Vector{{2.0, -2.0}}));
  EXPECT_EQ(confidence_bound(mean, variance, -0.5), (Vector{{0.0, -2.0}}));
}

TEST(Acquisition, TakesTheLargestValue) {
  const Points x = random_points(1, 100, 2);
  const Acquisition acquisition(finite_setting(4, 10, x));
  Vector values = Vector::LinSpaced(100, 0.0, 1.0);
  values[41] = 2;
  values[7] = -kInfinity;
  const Choice choice = acquisition.maximise(values, kNowhere, kAgent, 5);
  EXPECT_EQ(choice.arm, 41U);
  EXPECT_EQ(choice.latent, x.row(41).transpose());
}

// 3000 draws among 3 ties: a share differs from 1/3 by 0.043 = 5 standard deviations with a chance
// below 2e-6 for all three; the seed is fixed.
TEST(Acquisition, BreaksTiesUniformlyAndByTheCoin) {
  const Acquisition acquisition(finite_setting(4, 10, random_points(1, 10, 2)));
  Vector values = Vector::Zero(10);
  values[2] = values[5] = values[9] = 1;
  std::vector<int> count(10);
  for (std::uint32_t t = 0; t < 3000; ++t) {
    const Choice choice = acquisition.maximise(values, kNowhere, kAgent, t);
    EXPECT_EQ(choice.arm, acquisition.maximise(values, kNowhere, kAgent, t).arm);
    ++count.at(*choice.arm);
  }
  for (const std::size_t arm : {2U, 5U, 9U}) EXPECT_NEAR(count[arm], 1000, 129);
  EXPECT_EQ(count[2] + count[5] + count[9], 3000);
  std::set<std::size_t> of_agents;
  for (std::uint32_t a = 0; a < 30; ++a) {
    of_agents.insert(*acquisition.maximise(values, kNowhere, base::AgentId{a}, 0).arm);
  }
  EXPECT_EQ(of_agents.size(), 3U);  // fails by chance with 3 (2/3)^30 < 2e-5
}

// Ties that lie far apart, the first and the last arm among them.
TEST(Acquisition, FindsTiesEverywhere) {
  const Acquisition acquisition(finite_setting(4, 10, random_points(1, 300, 2)));
  Vector values = Vector::Constant(300, -kInfinity);
  const std::set<std::size_t> ties{0, 127, 128, 200, 299};
  for (const std::size_t arm : ties) values[static_cast<Eigen::Index>(arm)] = -1;
  std::set<std::size_t> seen;
  for (std::uint32_t t = 0; t < 200; ++t) {
    seen.insert(*acquisition.maximise(values, kNowhere, kAgent, t).arm);
  }
  EXPECT_EQ(seen, ties);  // fails by chance with 5 (4/5)^200 < 1e-18
}

TEST(Acquisition, RefusesNaN) {
  const Acquisition acquisition(finite_setting(4, 10, random_points(1, 50, 2)));
  Vector values = Vector::Zero(50);
  values[48] = std::nan("");
  EXPECT_THROW(acquisition.maximise(values, kNowhere, kAgent, 0), base::Error);
  EXPECT_THROW(acquisition.maximise(Vector::Zero(49), kNowhere, kAgent, 0), base::Error);
}

TEST(Acquisition, UniformReachesEveryArm) {
  const Acquisition acquisition(finite_setting(4, 10, random_points(1, 8, 2)));
  std::set<std::size_t> seen;
  for (std::uint32_t t = 0; t < 200; ++t) seen.insert(*acquisition.uniform(kAgent, t).arm);
  EXPECT_EQ(seen.size(), 8U);  // fails by chance with 8 (7/8)^200 < 1e-10
}

/// The negative distance from a point.
PointValues near(const Vector& top) {
  return [top](const Points& x) -> Vector {
    return -(x.rowwise() - top.transpose()).rowwise().norm();
  };
}

// The last step that fails is a quarter of the width halved nine times, and compass search on a
// cone ends within sqrt(d) steps of the top.
TEST(Acquisition, ClimbsToTheTopInsideABox) {
  const domain::Domain box = domain::Domain::box(2);
  const Points pool = random_points(2, 50, 2);
  const Acquisition acquisition(continuous(box, pool));
  const PointValues values = near(Vector{{0.42, 0.61}});
  const Choice choice = acquisition.maximise(values(pool), values, kAgent, 1);
  EXPECT_FALSE(choice.arm.has_value());
  EXPECT_LT((choice.latent - Vector{{0.42, 0.61}}).norm(), std::sqrt(2.0) * 0.25 / 128);
}

TEST(Acquisition, StaysInsideTheDomain) {
  const Points cube = random_points(2, 50, 3);
  const Acquisition in_box(continuous(domain::Domain::box(3), cube));
  const PointValues far = near(Vector{{2.0, 0.5, -1.0}});
  const Choice corner = in_box.maximise(far(cube), far, kAgent, 1);
  EXPECT_EQ(corner.latent[0], 1.0);
  EXPECT_EQ(corner.latent[2], 0.0);

  const domain::Domain ball = domain::Domain::ball(3, 2.0);
  const Points pool = cube.array() - 0.5;
  const Acquisition in_ball(continuous(ball, pool));
  const PointValues outside = near(Vector{{4.0, 0.0, 0.0}});
  const Choice edge = in_ball.maximise(outside(pool), outside, kAgent, 1);
  EXPECT_TRUE(ball.contains({edge.latent.data(), 3}));
  EXPECT_GT(edge.latent[0], 1.9);
}

// Along axes alone the search would stop at the first point of the surface that it reaches.
TEST(Acquisition, InABallItClimbsAlongTheSurface) {
  const domain::Domain ball = domain::Domain::ball(4, 1.0);
  const Points pool = 0.2 * (random_points(2, 50, 4).array() - 0.5);
  const Acquisition acquisition(continuous(ball, pool));
  const Vector direction = Vector{{0.7, -0.5, 0.4, 0.3}}.normalized();
  const PointValues values = near(3 * direction);
  const Choice choice = acquisition.maximise(values(pool), values, kAgent, 1);
  EXPECT_TRUE(ball.contains({choice.latent.data(), 4}));
  EXPECT_LT((choice.latent - direction).norm(), 0.05);
}

TEST(Acquisition, AnArmThatIsAlreadyBestStaysAnArm) {
  const Points pool = random_points(2, 50, 2);
  const Acquisition acquisition(continuous(domain::Domain::box(2), pool));
  const PointValues values = near(pool.row(17));
  const Choice choice = acquisition.maximise(values(pool), values, kAgent, 1);
  EXPECT_EQ(choice.arm, 17U);
  EXPECT_EQ(choice.latent, pool.row(17).transpose());
}

TEST(Acquisition, AsksForAtMostFortyValuesPerDimension) {
  const Points pool = random_points(2, 5, 4);
  const Acquisition acquisition(continuous(domain::Domain::box(4), pool));
  Eigen::Index asked = 0;
  const PointValues values = [&](const Points& x) -> Vector {
    asked += x.rows();
    return near(Vector::Constant(4, 0.5))(x);
  };
  acquisition.maximise(near(Vector::Constant(4, 0.5))(pool), values, kAgent, 1);
  EXPECT_GE(asked, 20 * 4);
  EXPECT_LE(asked, 40 * 4);
}

TEST(Acquisition, TheBoundIsTakenOffTheArmsToo) {
  const Points pool = random_points(3, 60, 2);
  const Setting setting = continuous(domain::Domain::box(2), pool);
  const Acquisition acquisition(setting);
  gp::ArmPosterior posterior(setting.arms, setting.lambda);
  for (const std::size_t arm : {0U, 9U, 33U}) posterior.observe({.site = arm, .reward = 1.0});
  const Choice choice = acquisition.maximise_bound(posterior, 2.0, kAgent, 1);
  const gp::PointPosterior there = posterior.at(choice.latent.transpose());
  const double best_arm = confidence_bound(posterior.mean(), posterior.variance(), 2.0).maxCoeff();
  EXPECT_GE(confidence_bound(there.mean, there.variance, 2.0)[0], best_arm);
  const std::size_t site = acquisition.site(choice, posterior);
  EXPECT_EQ(posterior.features(site), choice.latent);
}

TEST(Acquisition, RefusesASettingThatIsNotComplete) {
  const Points x = random_points(1, 10, 2);
  Setting bad = finite_setting(0, 10, x);
  EXPECT_THROW(Acquisition{bad}, base::Error);
  bad = finite_setting(1, 0, x);
  EXPECT_THROW(Acquisition{bad}, base::Error);
  bad = finite_setting(1, 1, x);
  bad.lambda = 0;
  EXPECT_THROW(Acquisition{bad}, base::Error);
  bad = finite_setting(1, 1, x);
  bad.domain = nullptr;
  EXPECT_THROW(Acquisition{bad}, base::Error);
  bad = finite_setting(1, 1, x);
  bad.arms = nullptr;
  EXPECT_THROW(Acquisition{bad}, base::Error);
  bad = finite_setting(1, 1, x);
  bad.latents = x.topRows(9);
  EXPECT_THROW(Acquisition{bad}, base::Error);
}

TEST(Tuning, RefusesBadNumbersByName) {
  EXPECT_NO_THROW(require_beta(0));
  for (const double beta : {-0.1, std::nan(""), kInfinity}) {
    EXPECT_THROW(require_beta(beta), base::Error);
  }
  EXPECT_EQ(checked_threshold({}, 10), 10);
  EXPECT_EQ(checked_threshold(0.0, 10), 0);
  EXPECT_EQ(checked_threshold(kInfinity, 10), kInfinity);
  EXPECT_THROW(checked_threshold(-1.0, 10), base::Error);
  EXPECT_THROW(checked_threshold(std::nan(""), 10), base::Error);
  try {
    require_beta(-0.5);
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "beta = -0.5: must be a finite number >= 0");
  }
}

TEST(ArmIndex, FindsArmsByTheirCoordinates) {
  Points x(4, 2);
  x << 0.5, 0.1, 0.25, 0.9, 0.5, 0.1, 0.5, 0.05;
  const ArmIndex index(x);
  const auto find = [&](double a, double b) {
    const std::vector<double> key{a, b};
    return index.find(key);
  };
  EXPECT_EQ(find(0.5, 0.1), 0U);  // the lowest of two
  EXPECT_EQ(find(0.25, 0.9), 1U);
  EXPECT_EQ(find(0.5, 0.05), 3U);
  EXPECT_EQ(find(0.5, 0.07), std::nullopt);
  EXPECT_EQ(find(0.9, 0.0), std::nullopt);
  EXPECT_EQ(find(0.0, 0.0), std::nullopt);
}

}  // namespace
}  // namespace duets::baselines
