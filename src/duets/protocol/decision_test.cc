#include "duets/protocol/decision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "duets/domain/domain.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

const kernel::Kernel kSmooth{kernel::Family::kMatern52, {0.3}, 1.0};

// A posterior on [0, 1] from `count` rewards of a function with its top at 0.7.
struct Scene {
  explicit Scene(Eigen::Index count, double lambda = 0.01)
      : data(Points::Zero(count, 1)), posterior(make(lambda)) {
    input.features = Points::Zero(256, 1);
    for (Eigen::Index i = 0; i < 256; ++i) {
      input.features(i, 0) = (static_cast<double>(i) + 0.5) / 256;
    }
    Vector rewards(count);
    for (Eigen::Index i = 0; i < count; ++i) rewards[i] = value(data(i, 0));
    input.means =
        kernel::weighted_sum(kSmooth, input.features, data,
                             posterior.weights(gp::project(kSmooth, data, data, rewards)));
    input.floor = 0.1;
    input.cap = 0.6;
    input.next = 4;
  }

  static double value(double x) { return 1 - 4 * (x - 0.7) * (x - 0.7); }

  gp::SparsePosterior make(double lambda) {
    for (Eigen::Index i = 0; i < data.rows(); ++i) {
      data(i, 0) = (static_cast<double>(i) + 0.5) / static_cast<double>(data.rows());
    }
    return {kSmooth, data, data, Vector(), lambda, base::SerialExecutor()};
  }

  Decision decided() const {
    return decide(posterior, input, random::StudySecret::from_seed(3).public_coin(), EpochId{1});
  }

  Points data;
  gp::SparsePosterior posterior;
  DecisionInput input;
};

// A long run ends in a small region whose posterior is known to a hundred-thousandth of the prior:
// rounding of the covariance is then more than the least jitter, and the decision goes on.
TEST(Decision, MillionsOfQueriesInASmallRegion) {
  for (const double counts : {1e4, 1e7, 1e10}) {
    Points inducing(3, 1);
    inducing << 0.70, 0.705, 0.71;
    const gp::SparsePosterior posterior(kSmooth, inducing, inducing, Vector::Constant(3, counts),
                                        0.04, base::SerialExecutor());
    DecisionInput input;
    input.features = Points::Zero(256, 1);
    input.means = Vector::Zero(256);
    for (Eigen::Index i = 0; i < 256; ++i) {
      input.features(i, 0) = 0.70 + 0.01 * static_cast<double>(i) / 256;
      input.means[i] = -1e-6 * static_cast<double>(i);
    }
    input.floor = 0.1;
    input.cap = 0.6;
    input.next = 4;
    const Decision decision =
        decide(posterior, input, random::StudySecret::from_seed(3).public_coin(), EpochId{1});
    EXPECT_GE(decision.share, 0.1);
    EXPECT_GT(decision.shortfall, 0);
    EXPECT_LT(decision.shortfall, 0.01);
  }
}

TEST(Decision, StaysBetweenFloorAndCap) {
  for (const Eigen::Index count : {2, 20}) {
    for (const double rest : {0.0, 1.0, 1e6}) {
      Scene scene(count);
      scene.input.rest = rest;
      const Decision decision = scene.decided();
      EXPECT_GE(decision.share, 0.1);
      EXPECT_LE(decision.share, 0.61) << "one point of 256 above the cap, by rounding up";
      EXPECT_GE(decision.lost, 0);
      EXPECT_GE(decision.shortfall, decision.lost);
    }
  }
}

// Queries after the next epoch pay for what is lost now, the next ones for what is kept.
TEST(Decision, AFarHorizonKeepsMore) {
  Scene scene(3, 0.1);
  const double soon = scene.decided().share;
  EXPECT_DOUBLE_EQ(soon, 26.0 / 256) << "nothing comes later: the best points only";
  scene.input.rest = 100;
  const Decision later = scene.decided();
  EXPECT_GT(later.share, soon);
  scene.input.next = 0;
  EXPECT_GE(scene.decided().share, later.share);
}

TEST(Decision, WhatIsKnownIsCutToTheFloor) {
  Scene vague(3, 0.1);
  Scene known(40, 1e-6);
  vague.input.rest = known.input.rest = 4;
  EXPECT_LT(known.decided().shortfall, 0.1 * vague.decided().shortfall);
  EXPECT_LT(known.decided().share, vague.decided().share);
  EXPECT_DOUBLE_EQ(known.decided().share, 26.0 / 256);
}

// The lower half of the interval is a part of its own. While little is known it may hold the best
// point and keeps a quarter of its points, whatever the cap; later it goes.
TEST(Decision, APartStaysUntilTheSamplesSayThatItCannotHoldTheBest) {
  // After five exact rewards the samples themselves would drop it; those of twice their deviation
  // do not.
  for (const auto& [count, lambda] : {std::pair{3, 1.0}, std::pair{5, 0.01}, std::pair{40, 1e-6}}) {
    const bool known = count == 40;
    Scene scene(count, lambda);
    scene.input.floor = scene.input.cap = 0.05;
    scene.input.partitions.emplace_back(256, 0);
    for (std::size_t i = 0; i < 128; ++i) scene.input.partitions[0][i] = 1;
    scene.input.partitions.emplace_back(256, 0);  // one part asks for nothing
    const double share = scene.decided().share;
    std::size_t kept_below = 0;
    std::vector<double> sorted(scene.input.means.data(), scene.input.means.data() + 256);
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    const auto num_kept = static_cast<std::size_t>(share * 256 + 0.5);
    for (Eigen::Index i = 0; i < 128; ++i) {
      kept_below += scene.input.means[i] >= sorted[num_kept - 1] ? 1 : 0;
    }
    if (known) {
      EXPECT_EQ(kept_below, 0U);
      EXPECT_DOUBLE_EQ(share, 13.0 / 256);
    } else {
      EXPECT_GE(kept_below, 32U) << "a quarter of 128";
    }
  }
}

// Markov's inequality holds for the samples themselves, not only in expectation.
TEST(Decision, ChancesAreThoseOfALargeShortfallAndOfALargeLoss) {
  for (const int count : {3, 10, 40}) {
    Scene scene(count);
    double before = 1;
    double lost_before = 1;
    for (const double better_by : {0.0, 0.01, 0.1, 0.5, 2.0, 100.0}) {
      scene.input.better_by = better_by;
      const Decision decision = scene.decided();
      EXPECT_LE(decision.missed, before) << better_by;
      EXPECT_LE(decision.missed * better_by, decision.shortfall * (1 + 1e-12)) << better_by;
      EXPECT_LE(decision.lost_chance, lost_before) << better_by;
      EXPECT_LE(decision.lost_chance * better_by, decision.lost * (1 + 1e-12)) << better_by;
      EXPECT_LE(decision.lost_chance, decision.missed) << "what is kept has the largest mean";
      if (better_by == 0) {
        EXPECT_EQ(decision.lost_chance > 0, decision.lost > 0);
      }
      before = decision.missed;
      lost_before = decision.lost_chance;
    }
    EXPECT_EQ(before, 0) << "no sample is a hundred deviations better";
  }
  Scene vague(3);
  EXPECT_GT(vague.decided().missed, 0.5) << "with three rewards the best point is elsewhere";
}

TEST(Decision, IsAFunctionOfItsInput) {
  const Scene scene(5);
  EXPECT_EQ(scene.decided().lost, scene.decided().lost);
  EXPECT_EQ(scene.decided().shortfall, scene.decided().shortfall);
}

}  // namespace
}  // namespace duets::protocol
