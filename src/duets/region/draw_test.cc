// Uniform points of whole domains. Seeds are fixed, so these tests always pass or always fail; the
// stated false-alarm probability is that of a correct generator under a seed chosen at random.
#include "duets/region/draw.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace duets::region {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr std::uint32_t kNumDraws = 20000;
// Every single comparison below: P(sqrt(n) D > 2.7) <= 2 exp(-2 2.7^2) = 9.3e-7.
constexpr double kKolmogorovBound = 2.7;
// P(Z > 4.8) = 7.9e-7 for Pearson's statistic turned into a normal deviate.
constexpr double kDeviateBound = 4.8;

Points draws(
    const std::function<void(const random::Coin&, const random::Address&, std::span<double>)>& draw,
    Eigen::Index dimension) {
  const random::Coin coin = random::StudySecret::from_seed(31415926).agent_coin(base::AgentId{2});
  Points points(kNumDraws, dimension);
  for (std::uint32_t i = 0; i < kNumDraws; ++i) {
    const random::Address address{.purpose = random::Purpose::kPoint,
                                  .epoch = 1 + i % 3,
                                  .slot = i / 6,
                                  .attempt = i / 3 % 2};
    draw(coin, address, {points.row(i).data(), static_cast<std::size_t>(dimension)});
  }
  return points;
}

Points cube_draws(Eigen::Index d) { return draws(draw_cube, d); }
Points ball_draws(Eigen::Index d, double radius) {
  return draws([radius](const auto& c, const auto& a, auto out) { draw_ball(c, a, radius, out); },
               d);
}
Points sphere_draws(Eigen::Index d, double radius) {
  return draws([radius](const auto& c, const auto& a, auto out) { draw_sphere(c, a, radius, out); },
               d);
}

// sqrt(n) times the largest distance of the empirical from the uniform distribution function.
double kolmogorov_smirnov(Vector u) {
  std::sort(u.data(), u.data() + u.size());
  const double n = static_cast<double>(u.size());
  double distance = 0;
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const double rank = static_cast<double>(i);
    distance = std::max({distance, u[i] - rank / n, (rank + 1) / n - u[i]});
  }
  return std::sqrt(n) * distance;
}

// Pearson's statistic of (u, v) over 10 x 10 cells as a normal deviate (Wilson and Hilferty).
double pair_deviate(const Vector& u, const Vector& v) {
  constexpr int kCells = 10;
  std::vector<double> count(kCells * kCells);
  const auto cell = [](double x) {
    return std::clamp(static_cast<int>(x * kCells), 0, kCells - 1);
  };
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    count[static_cast<std::size_t>(cell(u[i]) * kCells + cell(v[i]))] += 1;
  }
  const double expected = static_cast<double>(u.size()) / (kCells * kCells);
  double statistic = 0;
  for (const double c : count) statistic += (c - expected) * (c - expected) / expected;
  const double freedom = kCells * kCells - 1;
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
}

Vector radii(const Points& points) { return points.rowwise().norm(); }

// The turn of (x, y) as a fraction of the circle.
Vector turns(const Points& points, Eigen::Index x, Eigen::Index y) {
  Vector turn(points.rows());
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    turn[i] = std::atan2(points(i, y), points(i, x)) / (2 * std::numbers::pi) + 0.5;
  }
  return turn;
}

// Distribution function of z = x.theta for x uniform in the unit ball of R^d, whose density is
// proportional to (1 - z^2)^((d-1)/2); by the midpoint rule, good to 1e-6.
Vector projection_quantiles(const Vector& z, int d) {
  constexpr int kSteps = 20000;
  std::vector<double> cumulative(kSteps + 1);
  for (int i = 0; i < kSteps; ++i) {
    const double middle = -1 + 2 * (i + 0.5) / kSteps;
    cumulative[static_cast<std::size_t>(i) + 1] =
        cumulative[static_cast<std::size_t>(i)] + std::pow(1 - middle * middle, (d - 1) / 2.0);
  }
  Vector u(z.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double at = (z[i] + 1) / 2 * kSteps;
    const auto low = static_cast<std::size_t>(std::clamp(at, 0.0, kSteps - 1.0));
    const double part = at - static_cast<double>(low);
    u[i] = (cumulative[low] * (1 - part) + cumulative[low + 1] * part) / cumulative.back();
  }
  return u;
}

// False alarm 4 x 9.3e-7 + 7.9e-7.
TEST(Draw, CubeIsUniform) {
  const Points points = cube_draws(4);
  for (Eigen::Index k = 0; k < 4; ++k) {
    EXPECT_LT(kolmogorov_smirnov(points.col(k)), kKolmogorovBound) << k;
  }
  EXPECT_LT(pair_deviate(points.col(1), points.col(2)), kDeviateBound);
}

// In three dimensions (r/R)^3, every x_k / r (Archimedes) and the turn are uniform, and radius and
// direction independent. False alarm 5 x 9.3e-7 + 2 x 7.9e-7.
TEST(Draw, BallIsUniformInThreeDimensions) {
  constexpr double kRadius = 2.5;
  const Points points = ball_draws(3, kRadius);
  const Vector r = radii(points);
  const Vector volume = (r / kRadius).array().cube();
  EXPECT_LE(r.maxCoeff(), kRadius);
  EXPECT_LT(kolmogorov_smirnov(volume), kKolmogorovBound);
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Vector height = 0.5 + 0.5 * points.col(k).array() / r.array();
    EXPECT_LT(kolmogorov_smirnov(height), kKolmogorovBound) << k;
    if (k == 2) {
      EXPECT_LT(pair_deviate(volume, height), kDeviateBound);
    }
  }
  EXPECT_LT(kolmogorov_smirnov(turns(points, 0, 1)), kKolmogorovBound);
  EXPECT_LT(pair_deviate(volume, turns(points, 1, 2)), kDeviateBound);
  // The control: the radius itself is not uniform, and the test sees it.
  EXPECT_GT(kolmogorov_smirnov(r / kRadius), 10 * kKolmogorovBound);
}

// False alarm 3 x 9.3e-7.
TEST(Draw, BallIsUniformInTenDimensions) {
  const Points points = ball_draws(10, 1.0);
  EXPECT_LT(kolmogorov_smirnov(radii(points).array().pow(10)), kKolmogorovBound);
  EXPECT_LT(kolmogorov_smirnov(projection_quantiles(points.col(9), 10)), kKolmogorovBound);
  const Vector diagonal = points.rowwise().sum() / std::sqrt(10.0);
  EXPECT_LT(kolmogorov_smirnov(projection_quantiles(diagonal, 10)), kKolmogorovBound);
  // The control: a ball of two dimensions less has another projection, and the test sees it.
  EXPECT_GT(kolmogorov_smirnov(projection_quantiles(diagonal, 8)), kKolmogorovBound);
}

// False alarm 4 x 9.3e-7 + 7.9e-7.
TEST(Draw, SphereIsUniformInThreeDimensions) {
  const Points points = sphere_draws(3, 1.5);
  // Three squares, a root and a division: the norm is right to a few ulp.
  EXPECT_LT((radii(points).array() - 1.5).abs().maxCoeff(), 4 * 0x1p-52);
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Vector height = 0.5 + points.col(k).array() / 3.0;
    EXPECT_LT(kolmogorov_smirnov(height), kKolmogorovBound) << k;
    if (k == 2) {
      EXPECT_LT(pair_deviate(height, turns(points, 0, 1)), kDeviateBound);
    }
  }
  EXPECT_LT(kolmogorov_smirnov(turns(points, 0, 2)), kKolmogorovBound);
}

TEST(Draw, ADomainDrawsItsOwnPoints) {
  const random::Coin coin = random::StudySecret::from_seed(5).public_coin();
  const random::Address address{.purpose = random::Purpose::kPublicPoint, .epoch = 4, .slot = 9};
  std::vector<double> got(6);
  std::vector<double> want(6);
  draw_point(coin, address, domain::Domain::box(6), got);
  draw_cube(coin, address, want);
  EXPECT_EQ(got, want);
  draw_point(coin, address, domain::Domain::ball(6, 3.0), got);
  draw_ball(coin, address, 3.0, want);
  EXPECT_EQ(got, want);
  EXPECT_TRUE(domain::Domain::ball(6, 3.0).contains(got));
}

// Candidate i comes from slot i: a larger set begins with the smaller one.
TEST(Draw, CandidatesAreAddressedByTheirIndex) {
  const random::Coin coin = random::StudySecret::from_seed(5).public_coin();
  for (const CandidateShape shape :
       {CandidateShape::kCube, CandidateShape::kBall, CandidateShape::kSphere}) {
    const Points many = random_candidates(coin, shape, 50, 4, 2.0);
    EXPECT_EQ(random_candidates(coin, shape, 20, 4, 2.0), many.topRows(20));
    EXPECT_NE(random_candidates(random::StudySecret::from_seed(6).public_coin(), shape, 20, 4, 2.0),
              many.topRows(20));
  }
  const Vector norms = radii(random_candidates(coin, CandidateShape::kSphere, 50, 4, 2.0));
  EXPECT_LT((norms.array() - 2.0).abs().maxCoeff(), 1e-14);
  EXPECT_LT(radii(random_candidates(coin, CandidateShape::kBall, 50, 4, 2.0)).minCoeff(), 1.9);
  const Points cube = random_candidates(coin, CandidateShape::kCube, 50, 4, 2.0);
  EXPECT_GE(cube.minCoeff(), 0.0);
  EXPECT_LT(cube.maxCoeff(), 1.0);
}

}  // namespace
}  // namespace duets::region
