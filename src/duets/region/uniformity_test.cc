// Draws from a trimmed region in two dimensions against brute force: the volume of every cell of a
// coarse grid is measured on a fine one. Seeds are fixed; the stated false-alarm probability is
// that of a correct sampler under a seed chosen at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duets/region/sampler.h"

namespace duets::region {
namespace {

using base::EpochId;
using domain::Domain;
using numeric::Points;
using numeric::Vector;

const base::SerialExecutor kUniformSerial;
constexpr int kFine = 1024;  // fine grid a side
constexpr int kCoarse = 16;  // cells a side
constexpr int kNumPoints = 20000;
// P(Z > 4.8) = 7.9e-7 for Pearson's statistic turned into a normal deviate.
constexpr double kUniformDeviateBound = 4.8;

const kernel::Kernel kUniformKernel{kernel::Family::kSquaredExponential, {0.12}, 1.0};

Points peaks() {
  Points points(5, 2);
  points << 0.2, 0.25, 0.75, 0.8, 0.8, 0.2, 0.15, 0.85, 0.5, 0.5;
  return points;
}

// Cut 1 keeps some islands around the peaks of the unit square; cut 2, with another kernel, takes
// pieces out of them.
Region first_region() {
  const auto cut = std::make_shared<const Cut>(kUniformKernel, 0.0, peaks(),
                                               Vector{{1.0, 0.8, 0.9, 0.7, -0.5}}, 0.35);
  return Region(std::make_shared<const Domain>(Domain::box(2))).trimmed(cut);
}

Region second_region() {
  const auto cut =
      std::make_shared<const Cut>(kernel::Kernel{kernel::Family::kMatern32, {0.1, 0.2}, 1.0}, 0.0,
                                  peaks(), Vector{{1.0, 1.0, 1.0, 0.6, 0.2}}, 0.45);
  return first_region().trimmed(cut);
}

std::vector<std::uint8_t> fine_mask(const Region& region) {
  Points centres(kFine * kFine, 2);
  for (int y = 0; y < kFine; ++y) {
    for (int x = 0; x < kFine; ++x) {
      centres.row(y * kFine + x) << (x + 0.5) / kFine, (y + 0.5) / kFine;
    }
  }
  return region.contains(centres).inside;
}

int count_pieces(std::vector<std::uint8_t> mask) {
  int pieces = 0;
  std::vector<int> open;
  for (int seed = 0; seed < kFine * kFine; ++seed) {
    if (mask[static_cast<std::size_t>(seed)] == 0) continue;
    ++pieces;
    mask[static_cast<std::size_t>(seed)] = 0;
    open.assign(1, seed);
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      const int x = at % kFine;
      const int y = at / kFine;
      const auto visit = [&](int to) {
        if (mask[static_cast<std::size_t>(to)] == 0) return;
        mask[static_cast<std::size_t>(to)] = 0;
        open.push_back(to);
      };
      if (x > 0) visit(at - 1);
      if (x < kFine - 1) visit(at + 1);
      if (y > 0) visit(at - kFine);
      if (y < kFine - 1) visit(at + kFine);
    }
  }
  return pieces;
}

// Probability of every coarse cell under the uniform distribution. A cell's volume is wrong by at
// most half the fine cells its border crosses: below 1e-3 of the cells used, which moves Pearson's
// statistic at kNumPoints by less than 20000 (1e-3)^2 = 0.02.
std::vector<double> cell_probabilities(const Region& region) {
  const std::vector<std::uint8_t> mask = fine_mask(region);
  std::vector<double> probability(kCoarse * kCoarse);
  double total = 0;
  for (int i = 0; i < kFine * kFine; ++i) {
    const int cell = (i / kFine) * kCoarse / kFine * kCoarse + (i % kFine) * kCoarse / kFine;
    probability[static_cast<std::size_t>(cell)] += mask[static_cast<std::size_t>(i)];
    total += mask[static_cast<std::size_t>(i)];
  }
  for (double& p : probability) p /= total;
  return probability;
}

// Pearson's statistic as a normal deviate (Wilson and Hilferty); cells that expect fewer than 25
// points are one cell together.
double deviate(const Points& points, const std::vector<double>& probability) {
  std::vector<double> count(probability.size());
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const int x = static_cast<int>(points(i, 0) * kCoarse);
    const int y = static_cast<int>(points(i, 1) * kCoarse);
    count[static_cast<std::size_t>(y * kCoarse + x)] += 1;
  }
  const double n = static_cast<double>(points.rows());
  double rest_count = 0;
  double rest_expected = 0;
  double statistic = 0;
  double freedom = -1;
  const auto add = [&](double observed, double expected) {
    statistic += (observed - expected) * (observed - expected) / expected;
    freedom += 1;
  };
  for (std::size_t i = 0; i < probability.size(); ++i) {
    if (n * probability[i] >= 25) {
      add(count[i], n * probability[i]);
    } else {
      rest_count += count[i];
      rest_expected += n * probability[i];
    }
  }
  add(rest_count, rest_expected);
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
}

Sampler by_rejection(const Region& region) {
  return Sampler(region, {.method = Method::kRejection, .max_attempts = 2000});
}

SamplerSettings walk_settings(std::uint32_t steps) {
  return {.method = Method::kWalk,
          .walk_steps = steps,
          .max_shrinks = 100,
          .num_starts = 2,
          .stream_cap = 64};
}

// Independent points of the walk: each from a separate world, with its own public coin (and so its
// own starts) and its own agent.
Points walk_points(std::uint32_t steps) {
  const Sampler current = by_rejection(first_region());
  const Region next = second_region();
  Points points(kNumPoints, 2);
  for (int world = 0; world < kNumPoints; ++world) {
    const auto secret = random::StudySecret::from_seed(1000 + static_cast<std::uint64_t>(world));
    const Points starts = find_starts(current, next, walk_settings(steps), secret.public_coin(),
                                      EpochId{2}, kUniformSerial);
    const Sampler sampler(next, walk_settings(steps), starts);
    points.row(world) = sampler
                            .draw(secret.agent_coin(base::AgentId{0}), Lane::kPrivate,
                                  {EpochId{3}, 0, 1}, kUniformSerial)
                            .latents;
  }
  return points;
}

// A plausible mistake: propose within a window around the current point until a proposal is inside,
// so that the chain never stays. Its stationary density is proportional to the part of the window
// that lies inside.
Points wrong_walk_points(int steps) {
  const Region region = second_region();
  const auto secret = random::StudySecret::from_seed(99);
  Points points =
      by_rejection(region)
          .draw(secret.public_coin(), Lane::kPublic, {EpochId{1}, 0, kNumPoints}, kUniformSerial)
          .latents;
  const random::Coin coin = secret.agent_coin(base::AgentId{0});
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (int step = 1; step <= steps; ++step) {
      std::vector<double> u(64);
      coin.uniforms({.purpose = random::Purpose::kWalk,
                     .slot = static_cast<std::uint32_t>(i),
                     .attempt = static_cast<std::uint32_t>(step)},
                    u);
      const Eigen::Index axis = u[0] < 0.5 ? 0 : 1;
      for (std::size_t k = 1; k < u.size(); ++k) {
        Points proposal = points.row(i);
        proposal(0, axis) = std::clamp(proposal(0, axis) + 0.1 * (2 * u[k] - 1), 0.0, 0.999);
        if (region.contains(proposal).inside[0] == 0) continue;
        points.row(i) = proposal;
        break;
      }
    }
  }
  return points;
}

TEST(Uniformity, TheTestRegionHasSeveralPieces) {
  EXPECT_GE(count_pieces(fine_mask(first_region())), 4);
  EXPECT_GE(count_pieces(fine_mask(second_region())), 3);
}

// False alarm 7.9e-7 for each region.
TEST(Uniformity, RejectionIsUniform) {
  const random::Coin coin = random::StudySecret::from_seed(4).agent_coin(base::AgentId{0});
  for (const Region& region : {first_region(), second_region()}) {
    const Points points =
        by_rejection(region)
            .draw(coin, Lane::kPrivate, {EpochId{2}, 0, kNumPoints}, kUniformSerial)
            .latents;
    EXPECT_LT(deviate(points, cell_probabilities(region)), kUniformDeviateBound);
    // The control: the same points are not uniform on the other region.
    const Region other = region.cuts().size() == 1 ? second_region() : first_region();
    EXPECT_GT(deviate(points, cell_probabilities(other)), 5 * kUniformDeviateBound);
  }
}

// Points of a cover of the second region, some halvings deep.
Points cover_points(std::uint32_t depth) {
  const random::Coin coin = random::StudySecret::from_seed(6).agent_coin(base::AgentId{0});
  const Sampler sampler(second_region(),
                        {.method = Method::kCover, .max_attempts = 2000, .cover_depth = depth});
  return sampler.draw(coin, Lane::kPrivate, {EpochId{2}, 0, kNumPoints}, kUniformSerial).latents;
}

// A plausible mistake: the cell is chosen once, and tried until a point of it lies inside. Cells
// that the region hardly touches then have as many points as full ones.
Points wrong_cover_points(std::uint32_t depth) {
  const Region region = second_region();
  const Cover cover(region, depth);
  const random::Coin coin = random::StudySecret::from_seed(6).agent_coin(base::AgentId{0});
  Points points(kNumPoints, 2);
  std::uint32_t slot = 0;
  for (Eigen::Index found = 0; found < kNumPoints; ++slot) {
    std::vector<double> u(401);
    coin.uniforms({.purpose = random::Purpose::kPoint, .slot = slot}, u);
    const auto cell = static_cast<Eigen::Index>(u[0] * static_cast<double>(cover.size()));
    Points tries(200, 2);
    for (Eigen::Index i = 0; i < tries.rows(); ++i) {
      for (Eigen::Index k = 0; k < 2; ++k) {
        tries(i, k) = cover.corners()(cell, k) + cover.widths()[static_cast<std::size_t>(k)] *
                                                     u[static_cast<std::size_t>(1 + 2 * i + k)];
      }
    }
    const std::vector<std::uint8_t> inside = region.contains(tries).inside;
    const auto hit = std::find(inside.begin(), inside.end(), 1) - inside.begin();
    if (hit < tries.rows()) points.row(found++) = tries.row(hit);
  }
  return points;
}

// False alarm 7.9e-7 for each depth: the coarsest covers hold much more than the region.
TEST(Uniformity, CoversAreUniform) {
  const std::vector<double> probability = cell_probabilities(second_region());
  for (const std::uint32_t depth : {0U, 5U, 8U, 14U}) {
    EXPECT_LT(deviate(cover_points(depth), probability), kUniformDeviateBound) << depth;
  }
}

TEST(Uniformity, WrongCoversAreDetected) {
  const std::vector<double> probability = cell_probabilities(second_region());
  EXPECT_GT(deviate(wrong_cover_points(8), probability), 5 * kUniformDeviateBound);
  EXPECT_GT(deviate(wrong_cover_points(12), probability), 2 * kUniformDeviateBound);
}

// False alarm 7.9e-7. Starts of the public stream are uniform and a step keeps that distribution,
// so any number of steps has to pass.
TEST(Uniformity, WalksFromThePublicStreamAreUniform) {
  const std::vector<double> probability = cell_probabilities(second_region());
  EXPECT_LT(deviate(walk_points(28), probability), kUniformDeviateBound);
}

// Controls: walks from one start that did not forget it, and a walk that never stays.
TEST(Uniformity, WrongWalksAreDetected) {
  const std::vector<double> probability = cell_probabilities(second_region());
  const Points start = peaks().topRows(1);
  ASSERT_EQ(second_region().contains(start).inside[0], 1);
  const random::Coin coin = random::StudySecret::from_seed(4).agent_coin(base::AgentId{0});
  for (const std::uint32_t steps : {0U, 1U, 2U, 4U}) {
    const Sampler sampler(second_region(), walk_settings(steps), start);
    const Points points =
        sampler.draw(coin, Lane::kPrivate, {EpochId{2}, 0, kNumPoints}, kUniformSerial).latents;
    EXPECT_GT(deviate(points, probability), 5 * kUniformDeviateBound) << steps;
  }
  EXPECT_GT(deviate(wrong_walk_points(8), probability), 2 * kUniformDeviateBound);
}

}  // namespace
}  // namespace duets::region
