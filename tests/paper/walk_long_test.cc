// Walks in ten dimensions against brute force: h2 on the unit ball after two epochs at beta = 0.5,
// where about 2 points of 10000 are left. Seeds are fixed; the stated false-alarm probability is
// that of a correct sampler under seeds chosen at random.
//
// Points of one study share 64 start points, so they are not independent as they stand. Therefore
// many worlds: the regions are those of one run, but each world has a public coin of its own, finds
// its own starts in X_2 and then in X_3, and draws its own points of X_3.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "duets/harness/threads.h"
#include "duets/problems/problem.h"
#include "protocol_run.h"
#include "statistics.h"

namespace duets::paper {
namespace {

using base::AgentId;
using base::EpochId;
using numeric::Points;
using numeric::Vector;
using region::Sampler;
using region::SamplerSettings;

constexpr std::uint32_t kDimension = 10;
constexpr std::uint32_t kWorlds = 1000;
constexpr std::uint32_t kSlots = 220;  // what ten agents draw in epoch 3 of the paper's setting
constexpr std::uint32_t kBruteForce = 10000;
constexpr Eigen::Index kNumStatistics = kDimension + 3;

class WalkInTenDimensions : public testing::Test {
 protected:
  static void SetUpTestSuite() { fixture() = std::make_unique<Fixture>(); }
  static void TearDownTestSuite() { fixture().reset(); }

  struct Fixture {
    Fixture() {
      protocol::Study s;
      s.agents = 10;
      s.horizon = 50;
      s.t1 = 2;
      s.beta = 0.5;
      s.p0 = 10;
      s.lambda = 0.2;
      s.domain = std::make_shared<const domain::Domain>(domain::Domain::ball(kDimension, 1.0));
      const auto secret = random::StudySecret::from_seed(1);
      problem = problems::make_problem("h2", {}, secret.problem_coin());
      run = std::make_unique<ProtocolRun>(std::make_shared<const protocol::Study>(s), *problem,
                                          problems::Noise{problems::NoiseKind::kGaussian, 0.2}, 1);
      run->until_epoch(3);
      const Sampler rejection(x3().region(),
                              {.method = region::Method::kRejection, .max_attempts = 1U << 24});
      const region::Draw draw =
          rejection.draw(random::StudySecret::from_seed(2).agent_coin(AgentId{0}),
                         region::Lane::kPrivate, {EpochId{3}, 0, kBruteForce}, threads);
      brute_force = statistics(draw.latents);
      acceptance = kBruteForce / static_cast<double>(draw.tests);
    }

    const Sampler& x2() const { return run->view().sampler(EpochId{2}); }
    const Sampler& x3() const { return run->view().sampler(EpochId{3}); }

    // Coordinates, projection on theta, radius and posterior mean: one row a point.
    Points statistics(const Points& points) const {
      const Vector theta = Eigen::Map<const Vector>(problem->maximisers().at(0).data(), kDimension);
      Points values(points.rows(), kNumStatistics);
      values << points, points * theta, points.rowwise().norm(),
          x3().region().cuts().back()->sum_at(points);
      return values;
    }

    harness::ThreadExecutor threads{harness::default_threads()};
    std::unique_ptr<problems::Problem> problem;
    std::unique_ptr<ProtocolRun> run;
    Points brute_force;  ///< statistics of uniform points of X_3
    double acceptance = 0;
  };

  static std::unique_ptr<Fixture>& fixture() {
    static std::unique_ptr<Fixture> value;
    return value;
  }

  // The points of a world, found as every party of the protocol finds them, with `steps` in place
  // of the protocol's number of steps in X_3.
  static Points world_points(std::uint64_t world, std::uint32_t steps) {
    const Fixture& f = *fixture();
    const auto secret = random::StudySecret::from_seed(1000000 + world);
    const random::Coin coin = secret.public_coin();
    const Sampler x1(region::Region(f.x2().region().shared_domain()),
                     {.method = region::Method::kRejection, .max_attempts = 1});
    const SamplerSettings in_x2 = f.x2().settings();
    const Sampler x2(f.x2().region(), in_x2,
                     region::find_starts(x1, f.x2().region(), in_x2, coin, EpochId{1}, f.threads));
    SamplerSettings in_x3 = f.x3().settings();
    const Points starts =
        region::find_starts(x2, f.x3().region(), in_x3, coin, EpochId{2}, f.threads);
    in_x3.walk_steps = steps;
    return Sampler(f.x3().region(), in_x3, starts)
        .draw(secret.agent_coin(AgentId{0}), region::Lane::kPrivate, {EpochId{3}, 0, kSlots},
              f.threads)
        .latents;
  }

  struct Worlds {
    Points first;  ///< statistics of slot 0 of every world: independent points
    Points means;  ///< mean of the statistics over the slots of a world: independent rows
  };

  static Worlds worlds(std::uint32_t count, std::uint32_t steps) {
    Worlds w{Points(count, kNumStatistics), Points(count, kNumStatistics)};
    for (std::uint32_t i = 0; i < count; ++i) {
      const Points values = fixture()->statistics(world_points(i, steps));
      w.first.row(i) = values.row(0);
      w.means.row(i) = values.colwise().mean();
    }
    return w;
  }

  // For every statistic: how far the mean over all worlds lies from brute force, in standard
  // deviations.
  static Vector mean_deviates(const Worlds& w) {
    Vector deviates(kNumStatistics);
    const Points& exact = fixture()->brute_force;
    for (Eigen::Index k = 0; k < kNumStatistics; ++k) {
      const double variance =
          sample_variance(w.means.col(k)) / static_cast<double>(w.means.rows()) +
          sample_variance(exact.col(k)) / static_cast<double>(exact.rows());
      deviates[k] = (w.means.col(k).mean() - exact.col(k).mean()) / std::sqrt(variance);
    }
    return deviates;
  }

  // For every statistic: variance of a world's mean against that of kSlots independent points. 1
  // for independent points, 1 + (kSlots - 1) / 64 times the correlation of two points with one
  // start.
  static Vector inflations(const Worlds& w) {
    Vector ratios(kNumStatistics);
    for (Eigen::Index k = 0; k < kNumStatistics; ++k) {
      ratios[k] =
          sample_variance(w.means.col(k)) * kSlots / sample_variance(fixture()->brute_force.col(k));
    }
    return ratios;
  }

  static double largest_ks(const Points& a, const Points& b) {
    double largest = 0;
    for (Eigen::Index k = 0; k < kNumStatistics; ++k) {
      largest = std::max(largest, two_sample_ks(a.col(k), b.col(k)));
    }
    return largest;
  }

  // Figures for the log; the report of a long run shows them.
  static void record(const std::string& name, double value) {
    RecordProperty(name, std::to_string(value));
    std::printf("%s %.6g\n", name.c_str(), value);
  }

  // P(KS > 2.9) <= 2 exp(-2 2.9^2) = 9.9e-8, times 13 statistics: 1.3e-6.
  static constexpr double kKolmogorovBound = 2.9;
  // P(|Z| > 5.5) = 3.8e-8, times 13 statistics: 4.9e-7.
  static constexpr double kDeviateBound = 5.5;
  // A ratio of variances over 1000 worlds has a standard deviation of sqrt(2 / 999) = 0.045 times
  // itself: a true inflation of 1.05 (correlation 0.015) is seen above 1.3 with probability 6e-8,
  // times 13 statistics: 8e-7; a true one of 1.6 is seen below it with probability 1e-5.
  static constexpr double kInflationBound = 1.3;
};

TEST_F(WalkInTenDimensions, PointsAreUniformAndNearlyIndependent) {
  const Fixture& f = *fixture();
  ASSERT_EQ(f.x2().settings().method, region::Method::kWalk);
  ASSERT_EQ(f.x3().settings().method, region::Method::kWalk);
  ASSERT_EQ(f.x3().starts().rows(), 64);
  ASSERT_LT(f.acceptance, 1e-3);
  const Worlds w = worlds(kWorlds, f.x3().settings().walk_steps);
  const double ks = largest_ks(w.first, f.brute_force);
  const Vector deviates = mean_deviates(w);
  const Vector ratios = inflations(w);
  EXPECT_LT(ks, kKolmogorovBound);
  EXPECT_LT(deviates.cwiseAbs().maxCoeff(), kDeviateBound) << deviates.transpose();
  EXPECT_LT(ratios.maxCoeff(), kInflationBound) << ratios.transpose();
  record("acceptance", f.acceptance);
  record("walk_steps", f.x3().settings().walk_steps);
  record("largest_ks", ks);
  record("largest_deviate", deviates.cwiseAbs().maxCoeff());
  record("largest_inflation", ratios.maxCoeff());
}

// Controls. Five steps do not forget the shared starts, although every single point is uniform.
// Ten and twenty steps from the point of largest mean alone do not forget it; from such a start the
// protocol takes five times the usual steps, and that does (13 statistics, false alarm 1.3e-6).
TEST_F(WalkInTenDimensions, ShortWalksAreSeen) {
  const Fixture& f = *fixture();
  const Vector ratios = inflations(worlds(200, 5));
  EXPECT_GT(ratios.maxCoeff(), 1.5 * kInflationBound) << ratios.transpose();
  record("largest_inflation_of_5_steps", ratios.maxCoeff());

  const Points argmax = f.run->coordinator().summary().epochs().back().best_point.transpose();
  const random::Coin coin = random::StudySecret::from_seed(3).agent_coin(AgentId{0});
  const auto ks = [&](std::uint32_t steps) {
    SamplerSettings settings = f.x3().settings();
    settings.walk_steps = steps;
    const Points points = Sampler(f.x3().region(), settings, argmax)
                              .draw(coin, region::Lane::kPrivate, {EpochId{3}, 0, 2000}, f.threads)
                              .latents;
    const double value = largest_ks(f.statistics(points), f.brute_force);
    record("largest_ks_from_argmax_after_" + std::to_string(steps), value);
    return value;
  };
  EXPECT_GT(ks(10), 2 * kKolmogorovBound);
  EXPECT_GT(ks(20), kKolmogorovBound);
  for (const std::uint32_t steps : {60U, 100U, 150U, 200U}) ks(steps);
  EXPECT_LT(ks(5 * f.x3().settings().walk_steps), kKolmogorovBound);
}

}  // namespace
}  // namespace duets::paper
