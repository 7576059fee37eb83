// Where stratified points lie, how they are distributed, and what they are good for. Seeds are
// fixed; a stated false-alarm probability is that of correct code under a seed chosen at random.
#include "duets/region/strata.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "duets/base/error.h"

namespace duets::region {
namespace {

using base::AgentId;
using base::EpochId;
using domain::Domain;
using numeric::Points;
using numeric::Vector;

const base::SerialExecutor kStrataSerial;
const SamplerSettings kStrataByIndex{.method = Method::kIndex};
const SamplerSettings kStrataByRejection{.method = Method::kRejection, .max_attempts = 5000};

Region whole(Domain domain) { return Region(std::make_shared<const Domain>(std::move(domain))); }

std::shared_ptr<const Cut> bump(Eigen::Index d, double tau) {
  Points centres(2, d);
  centres.row(0).setConstant(0.2);
  centres.row(1).setConstant(0.7);
  return std::make_shared<const Cut>(
      kernel::Kernel{kernel::Family::kSquaredExponential, {0.25}, 1.0}, 0.0, centres,
      Vector{{1.0, 0.9}}, tau);
}

// All different, spread over the unit cube.
Points scattered(Eigen::Index n, Eigen::Index d) {
  Points points(n, d);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index k = 0; k < d; ++k) {
      const double x = std::sqrt(static_cast<double>(k) + 2.0) * static_cast<double>(i + 1);
      points(i, k) = x - std::floor(x);
    }
  }
  return points;
}

Sampler finite(Eigen::Index n) { return {whole(Domain::finite(scattered(n, 2))), kStrataByIndex}; }
Sampler trimmed_finite() {
  return {whole(Domain::finite(scattered(300, 2))).trimmed(bump(2, 0.5)), kStrataByIndex};
}
Sampler box(std::size_t d) { return {whole(Domain::box(d)), kStrataByRejection}; }
Sampler ball() { return {whole(Domain::ball(2, 1.0)), kStrataByRejection}; }
Sampler trimmed_box() { return {whole(Domain::box(2)).trimmed(bump(2, 0.5)), kStrataByRejection}; }
Sampler walk_strata() {
  return {whole(Domain::box(2)).trimmed(bump(2, 0.5)),
          {.method = Method::kWalk, .walk_steps = 20, .max_shrinks = 60, .num_starts = 1},
          Points::Constant(1, 2, 0.7)};
}

struct World {
  explicit World(std::uint64_t seed) : secret(random::StudySecret::from_seed(seed)) {}
  std::shared_ptr<const Strata> strata(const Sampler& sampler, const EpochSlots& slots,
                                       const SideUnits& units = {}) const {
    return Strata::make(sampler, secret.public_coin(), slots, units, kStrataSerial);
  }
  Draw draw(const Strata& strata, std::uint32_t agent, const SlotRange& slots) const {
    return strata.draw(secret.agent_coin(AgentId{agent}), AgentId{agent}, slots);
  }
  random::StudySecret secret;
};

// The places in the strata's list that hold this point.
std::vector<std::uint64_t> places(const Strata& strata, const Vector& point) {
  std::vector<std::uint64_t> found;
  for (Eigen::Index i = 0; i < strata.points().rows(); ++i) {
    if (strata.points().row(i).transpose() == point) found.push_back(static_cast<std::uint64_t>(i));
  }
  return found;
}

struct Case {
  const char* name;
  Sampler sampler;
  std::uint32_t agents;
  std::uint32_t length;
};

std::vector<Case> cases() {
  return {{"finite", finite(103), 3, 7},
          {"as many survivors as strata", finite(20), 4, 5},
          {"fewer survivors than strata", finite(5), 3, 4},
          {"one survivor", finite(1), 3, 2},
          {"trimmed finite", trimmed_finite(), 5, 6},
          {"one slot", box(2), 1, 1},
          {"interval", box(1), 3, 5},
          {"box", box(2), 3, 7},
          {"fifty dimensions", box(50), 2, 9},
          {"ball", ball(), 4, 4},
          {"trimmed box", trimmed_box(), 5, 6},
          {"walk", walk_strata(), 2, 5}};
}

// Stratum s of S holds the places s M / S up to (s + 1) M / S, whose ends two strata may share.
TEST(Strata, EverySlotDrawsInItsOwnStratum) {
  const World world(3);
  for (const auto& [name, sampler, agents, length] : cases()) {
    const auto strata = world.strata(sampler, {EpochId{2}, agents, length});
    ASSERT_NE(strata, nullptr) << name;
    const std::uint64_t m = strata->num_points();
    const std::uint64_t s = strata->num_strata();
    ASSERT_EQ(s, std::uint64_t{agents} * length);
    std::vector<int> taken(s, 0);
    for (std::uint32_t a = 0; a < agents; ++a) {
      const Draw draw = world.draw(*strata, a, {EpochId{2}, 0, length});
      ASSERT_EQ(draw.latents.rows(), length);
      for (std::uint32_t slot = 0; slot < length; ++slot) {
        const std::uint64_t stratum = strata->stratum(AgentId{a}, slot);
        ASSERT_LT(stratum, s);
        ++taken[stratum];
        const auto found = places(*strata, draw.latents.row(slot));
        EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                                [&](std::uint64_t place) {
                                  return (place + 1) * s > stratum * m &&
                                         place * s < (stratum + 1) * m;
                                }))
            << name << ", agent " << a << ", slot " << slot;
      }
    }
    EXPECT_EQ(taken, std::vector<int>(s, 1)) << name;
  }
}

TEST(Strata, AreMadeOfTheSurvivors) {
  const Sampler sampler = trimmed_finite();
  const auto strata = World(3).strata(sampler, {EpochId{2}, 5, 6});
  ASSERT_EQ(strata->num_points(), sampler.region().survivors().size());
  for (const std::uint32_t index : sampler.region().survivors()) {
    const Vector point = sampler.region().domain().candidates().row(index);
    EXPECT_EQ(places(*strata, point).size(), 1U);
  }
  const Draw draw = World(3).draw(*strata, 1, {EpochId{2}, 0, 6});
  ASSERT_EQ(draw.indices.size(), 6U);
  for (Eigen::Index i = 0; i < 6; ++i) {
    const auto index = draw.indices[static_cast<std::size_t>(i)];
    EXPECT_EQ(sampler.region().domain().candidates().row(index), draw.latents.row(i));
  }
}

TEST(Strata, AreMadeOfDifferentPointsOfTheRegion) {
  for (const Sampler& sampler : {trimmed_box(), walk_strata()}) {
    const auto strata = World(3).strata(sampler, {EpochId{2}, 5, 6});
    const bool walks = sampler.settings().method == Method::kWalk;
    EXPECT_EQ(strata->num_points(), 30 * (walks ? kWalksPerStratum : kPointsPerStratum));
    const auto inside = sampler.region().contains(strata->points()).inside;
    EXPECT_EQ(std::count(inside.begin(), inside.end(), 0), 0);
    for (Eigen::Index i = 0; i < strata->points().rows(); ++i) {
      EXPECT_EQ(places(*strata, strata->points().row(i)).size(), 1U);
    }
    // Nothing else is made of these words.
    const Points stream =
        sampler
            .draw(World(3).secret.public_coin(), Lane::kPublic, {EpochId{2}, 0, 100}, kStrataSerial)
            .latents;
    for (Eigen::Index i = 0; i < stream.rows(); ++i) {
      EXPECT_TRUE(places(*strata, stream.row(i)).empty());
    }
    EXPECT_GE(strata->tests(), strata->num_points());
    EXPECT_LT(strata->smallest_margin(), 1.0);
    const Draw draw = World(3).draw(*strata, 0, {EpochId{2}, 0, 6});
    EXPECT_EQ(draw.tests, 0U);
    EXPECT_EQ(draw.smallest_margin, strata->smallest_margin());
  }
}

// By hand: the y side is the wider one, so y halves first, then x in each half.
TEST(Strata, HalveAcrossTheWidestSide) {
  Points candidates(4, 2);
  candidates << 2, 10, 0, 1, 1, 0, 0, 11;
  const Sampler sampler(whole(Domain::finite(candidates)), kStrataByIndex);
  Points expected(4, 2);
  expected << 0, 1, 1, 0, 0, 11, 2, 10;
  EXPECT_EQ(World(3).strata(sampler, {EpochId{1}, 2, 2})->points(), expected);
  // Equal length scales change nothing; a long one makes y the shorter side.
  EXPECT_EQ(World(3).strata(sampler, {EpochId{1}, 2, 2}, {2, 2})->points(), expected);
  Points by_x(4, 2);
  by_x << 0, 1, 0, 11, 1, 0, 2, 10;
  EXPECT_EQ(World(3).strata(sampler, {EpochId{1}, 2, 2}, {1, 20})->points(), by_x);
  EXPECT_THROW(World(3).strata(sampler, {EpochId{1}, 2, 2}, {1, 1, 1}), base::Error);
  // Two strata are not halved further: the points of each are in their original order.
  expected << 0, 1, 1, 0, 2, 10, 0, 11;
  EXPECT_EQ(World(3).strata(sampler, {EpochId{1}, 1, 2})->points(), expected);
}

TEST(Strata, EqualPointsAreOrderedByIndex) {
  const Sampler sampler(whole(Domain::finite(Points::Constant(6, 2, 0.5))), kStrataByIndex);
  const World world(3);
  const auto strata = world.strata(sampler, {EpochId{1}, 2, 3});
  for (std::uint32_t a = 0; a < 2; ++a) {
    const Draw draw = world.draw(*strata, a, {EpochId{1}, 0, 3});
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      EXPECT_EQ(draw.indices[slot], strata->stratum(AgentId{a}, slot));
    }
  }
}

TEST(Strata, PartsOfAnEpochAreThoseOfTheWhole) {
  const World world(4);
  const auto strata = world.strata(ball(), {EpochId{3}, 4, 9});
  const Draw all = world.draw(*strata, 2, {EpochId{3}, 0, 9});
  EXPECT_EQ(world.draw(*strata, 2, {EpochId{3}, 4, 3}).latents, all.latents.middleRows(4, 3));
  EXPECT_NE(world.draw(*world.strata(ball(), {EpochId{4}, 4, 9}), 2, {EpochId{4}, 0, 9}).latents,
            all.latents);
}

TEST(Strata, AreNotUsedWhereThereAreTooManySlots) {
  const World world(5);
  EXPECT_EQ(strata_pool(Method::kRejection, {EpochId{1}, 10, 10}), 1600U);
  EXPECT_EQ(strata_pool(Method::kWalk, {EpochId{1}, 10, 10}), 400U);
  EXPECT_EQ(strata_pool(Method::kIndex, {EpochId{1}, 10, 10}), 0U);
  EXPECT_EQ(strata_pool(Method::kRejection, {EpochId{1}, 1000, 10}), 60000U);
  EXPECT_EQ(strata_pool(Method::kRejection, {EpochId{1}, 32768, 1}), 65536U);
  EXPECT_EQ(strata_pool(Method::kRejection, {EpochId{1}, 32769, 1}), 0U);
  EXPECT_EQ(world.strata(box(2), {EpochId{1}, 32769, 1}), nullptr);
  // 2^62 (1 - 2^-31) strata of four points are just possible, of five not.
  const EpochSlots many{EpochId{1}, 1U << 31, (1U << 31) - 1};
  EXPECT_NE(world.strata(finite(4), many), nullptr);
  EXPECT_EQ(world.strata(finite(5), many), nullptr);
}

TEST(Strata, RefuseSlotsThatTheEpochDoesNotHave) {
  const World world(5);
  const auto strata = world.strata(finite(9), {EpochId{2}, 3, 4});
  const auto refuses = [&](std::uint32_t agent, const SlotRange& slots) {
    try {
      world.draw(*strata, agent, slots);
    } catch (const base::Error& error) {
      return error.kind() == base::ErrorKind::kInvalid;
    }
    return false;
  };
  EXPECT_FALSE(refuses(2, {EpochId{2}, 0, 4}));
  EXPECT_TRUE(refuses(3, {EpochId{2}, 0, 4}));
  EXPECT_TRUE(refuses(2, {EpochId{2}, 1, 4}));
  EXPECT_TRUE(refuses(2, {EpochId{1}, 0, 4}));
}

// Pearson's statistic as a normal deviate (Wilson and Hilferty).
double as_deviate(double statistic, double freedom) {
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(statistic / freedom) - (1 - spread)) / std::sqrt(spread);
}

constexpr int kWorlds = 4000;
constexpr int kSide = 6;
// P(Z > 4.8) = 7.9e-7.
constexpr double kStrataDeviateBound = 4.8;

// How often a fixed slot's point falls in each cell of a grid over [-1, 1]^2, a world each.
std::vector<double> cell_counts(const std::function<Vector(const World&)>& point) {
  std::vector<double> counts(kSide * kSide);
  for (int seed = 0; seed < kWorlds; ++seed) {
    const Vector x = point(World(static_cast<std::uint64_t>(seed)));
    const auto cell = [](double u) { return static_cast<std::size_t>((u + 1) / 2 * kSide); };
    counts[cell(x[0]) * kSide + cell(x[1])] += 1;
  }
  return counts;
}

// One slot by itself, over worlds: the same distribution as an independent draw. Two samples of one
// size, compared cell by cell; the coins of the two are of different purposes or lanes.
TEST(Strata, ASlotByItselfIsUniform) {
  for (const auto& [name, sampler] :
       std::vector<std::pair<const char*, Sampler>>{{"finite", trimmed_finite()},
                                                    {"box", box(2)},
                                                    {"ball", ball()},
                                                    {"trimmed box", trimmed_box()}}) {
    const auto stratified = cell_counts([&s = sampler](const World& world) -> Vector {
      return world.draw(*world.strata(s, {EpochId{1}, 2, 3}), 1, {EpochId{1}, 1, 1}).latents.row(0);
    });
    const auto independent = cell_counts([&s = sampler](const World& world) -> Vector {
      return s.draw(world.secret.public_coin(), Lane::kPublic, {EpochId{1}, 0, 1}, kStrataSerial)
          .latents.row(0);
    });
    double statistic = 0;
    double cells = 0;
    for (std::size_t i = 0; i < stratified.size(); ++i) {
      const double sum = stratified[i] + independent[i];
      if (sum == 0) continue;
      statistic += (stratified[i] - independent[i]) * (stratified[i] - independent[i]) / sum;
      cells += 1;
    }
    EXPECT_LT(as_deviate(statistic, cells - 1), kStrataDeviateBound) << name;
  }
}

// The variance, over worlds, of the mean of a smooth function over all slots of an epoch.
double variance_of_mean(const Sampler& sampler, bool stratified, const SideUnits& units = {}) {
  constexpr std::uint32_t kAgents = 10;
  constexpr std::uint32_t kLength = 10;
  constexpr int kRepeats = 300;
  std::vector<double> means;
  for (int seed = 0; seed < kRepeats; ++seed) {
    const World world(static_cast<std::uint64_t>(seed));
    const auto strata =
        stratified ? world.strata(sampler, {EpochId{1}, kAgents, kLength}, units) : nullptr;
    double sum = 0;
    for (std::uint32_t a = 0; a < kAgents; ++a) {
      const SlotRange slots{EpochId{1}, 0, kLength};
      const Points x = strata ? world.draw(*strata, a, slots).latents
                              : sampler
                                    .draw(world.secret.agent_coin(AgentId{a}), Lane::kPrivate,
                                          slots, kStrataSerial)
                                    .latents;
      sum += (2.0 * x.leftCols(2).rowwise().sum().array()).cos().sum();
    }
    means.push_back(sum / (kAgents * kLength));
  }
  double mean = 0;
  for (const double m : means) mean += m / kRepeats;
  double variance = 0;
  for (const double m : means) variance += (m - mean) * (m - mean) / (kRepeats - 1);
  return variance;
}

// f = cos(2 (x + y)) has variance above 0.4 on the unit square and a slope of at most 2 along each
// axis. A stratum is about 1/8 by 1/16 or 1/8 by 1/8 wide, so that f varies within it by at most
// 2 (2/8)^2 / 12 = 0.01: a ratio below 0.03, to which a pool of 16 points a stratum adds 1/16. The
// ratio of two variances over 300 worlds is off by a factor of 1.12 or so (one deviation), and by 2
// with a probability below 1e-8.
TEST(Strata, MeansVaryLess) {
  EXPECT_LT(variance_of_mean(box(2), true), 0.2 * variance_of_mean(box(2), false));
  const Sampler candidates = finite(1000);
  EXPECT_LT(variance_of_mean(candidates, true), 0.1 * variance_of_mean(candidates, false));
  // Smaller, in islands; f varies less over it, too.
  EXPECT_LT(variance_of_mean(trimmed_box(), true), 0.3 * variance_of_mean(trimmed_box(), false));
}

// Of eight coordinates two matter. Who knows it from the length scales stratifies as in a square.
TEST(Strata, LengthScalesDecideWhichSidesMatter) {
  const double independent = variance_of_mean(box(8), false);
  const SideUnits units{0.3, 0.3, 9, 9, 9, 9, 9, 9};
  EXPECT_LT(variance_of_mean(box(8), true, units), 0.2 * independent);
  EXPECT_GT(variance_of_mean(box(8), true), 0.4 * independent);
}

}  // namespace
}  // namespace duets::region
