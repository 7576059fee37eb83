#include "duets/baselines/batch_gp/batch_gp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "duets/baselines/arms_test_support.h"
#include "duets/baselines/batch_gp/ard_model.h"
#include "duets/baselines/batch_gp/expected_improvement.h"
#include "duets/baselines/random_search/random_search.h"
#include "duets/baselines/search_space.h"
#include "duets/gp/exact.h"

namespace duets::baselines {
namespace {

using domain::Domain;
using domain::Parameter;
using domain::ParameterType;
using numeric::Points;
using numeric::Vector;

Setting setting_on(const Domain& domain, std::uint32_t agents, std::uint32_t horizon,
                   std::uint64_t seed = 7) {
  const Points pool = random_points(3, 20, static_cast<Eigen::Index>(domain.dimension()));
  const Points points = domain.is_finite() ? domain.candidates() : pool;
  return {.agents = agents,
          .horizon = horizon,
          .domain = std::make_shared<const Domain>(domain),
          .arms = std::make_shared<const gp::Arms>(
              kernel::Kernel{kernel::Family::kMatern32, {0.4}, 1.0}, domain.features(points)),
          .latents = points,
          .lambda = 0.2,
          .coin = test_coin(seed)};
}

Domain mixed_box() {
  return Domain::box(
      {{.name = "x", .low = 0, .high = 1},
       {.name = "n", .type = ParameterType::kInt, .low = 1, .high = 5},
       {.name = "c", .type = ParameterType::kCategorical, .choices = {"a", "b", "c"}}});
}

ScaleGroups two_groups() { return {.of_feature = {0, 1, 1}, .usual = {0.4, 0.8}}; }

// Central differences with step 1e-5 are good to 1e-9 of values of order 100.
TEST(ArdEvidence, TheGradientIsThatOfTheValue) {
  const Points x = random_points(11, 25, 3);
  Vector y(25);
  for (Eigen::Index i = 0; i < 25; ++i) y[i] = std::sin(7 * x(i, 0)) + x(i, 2);
  const ArdEvidence evidence(two_groups(), x, y);
  for (const ArdTheta& theta : {ArdTheta{{-1.0, 0.3, -3.0}}, ArdTheta{{0.5, -1.5, -1.0}}}) {
    const Vector slope = evidence.gradient(theta);
    for (Eigen::Index k = 0; k < 3; ++k) {
      ArdTheta above = theta, below = theta;
      above[k] += 1e-5;
      below[k] -= 1e-5;
      EXPECT_NEAR(slope[k], (evidence.value(above) - evidence.value(below)) / 2e-5, 1e-6) << k;
    }
  }
}

// What the rewards do not depend on gets the longer scale, and the noise is found to a factor of 4.
TEST(ArdEvidence, FindsRelevanceAndNoise) {
  const Points x = random_points(12, 120, 2);
  Vector y(120);
  for (Eigen::Index i = 0; i < 120; ++i) {
    double noise = 0;
    test_coin(5).normals(
        {.purpose = random::Purpose::kNoise, .slot = static_cast<std::uint32_t>(i)}, {&noise, 1});
    y[i] = std::sqrt(2.0) * std::sin(8 * x(i, 0)) + 0.2 * noise;
  }
  const ArdEvidence evidence({.of_feature = {0, 1}, .usual = {0.5, 0.5}}, x, y);
  const ArdTheta theta = evidence.best({evidence.usual()});
  EXPECT_GT(theta[1], theta[0] + 1);
  const ArdModel model({.of_feature = {0, 1}, .usual = {0.5, 0.5}}, theta, x, y);
  EXPECT_GT(model.variance() * model.noise(), 0.01);
  EXPECT_LT(model.variance() * model.noise(), 0.16);
}

// The same posterior as gp/exact, for the same kernel and noise.
TEST(ArdModel, AgreesWithTheExactPosterior) {
  const Points x = random_points(13, 30, 3);
  Vector y(30);
  for (Eigen::Index i = 0; i < 30; ++i) y[i] = std::cos(5 * x(i, 1)) * x(i, 0);
  const ArdTheta theta{{-0.5, 0.2, -2.0}};
  const ArdModel model(two_groups(), theta, x, y);
  const gp::ExactPosterior exact(model.kernel(), x, {}, model.noise());
  const Points at = random_points(14, 10, 3);
  // The process mean is what is left far away.
  const double centre = model.mean(Points::Constant(1, 3, 1e6))[0];
  const Vector expected = exact.mean(at, y.array() - centre).array() + centre;
  const Vector variance = 1 - model.whiten(at).colwise().squaredNorm().array();
  for (Eigen::Index i = 0; i < 10; ++i) {
    EXPECT_NEAR(model.mean(at)[i], expected[i], 1e-10);
    EXPECT_NEAR(variance[i], exact.variance(at).variance[i], 1e-10);
  }
}

// By numerical integration at z = -1, and by continuity where the two formulas meet.
TEST(LogExpectedImprovement, HasTheRightValue) {
  double sum = 0;
  constexpr int kSteps = 200000;
  for (int i = 0; i < kSteps; ++i) {
    const double u = 1 + 12 * (i + 0.5) / kSteps;
    sum += (u - 1) * std::exp(-u * u / 2) / std::sqrt(2 * std::acos(-1.0)) * 12 / kSteps;
  }
  EXPECT_NEAR(log_expected_improvement(1, 2, 3), std::log(2 * sum), 1e-8);
  // 15 / z^4 and what cancellation leaves of 16 digits.
  EXPECT_NEAR(log_expected_improvement(-10.0001, 1, 0), log_expected_improvement(-9.9999, 1, 0),
              0.0002 * 10 + 0.005);
  EXPECT_LT(log_expected_improvement(-50, 1, 0), log_expected_improvement(-49, 1, 0));
  EXPECT_EQ(log_expected_improvement(3, 0, 1), std::log(2));
  EXPECT_EQ(log_expected_improvement(1, 0, 1), -INFINITY);
}

// Believing a point is observing its mean: variances as if it had been queried.
TEST(Believer, ShrinksVariancesAsAQueryDoes) {
  const Points x = random_points(15, 20, 3);
  Vector y(20);
  for (Eigen::Index i = 0; i < 20; ++i) y[i] = x(i, 0);
  const ArdTheta theta{{-0.5, 0.2, -2.0}};
  const ArdModel model(two_groups(), theta, x, y);
  Believer believer(model);
  const Points more = random_points(16, 2, 3);
  const Points at = random_points(17, 5, 3);
  const numeric::Matrix before = believer.whiten(at);
  believer.add(more.row(0));
  const numeric::Matrix row = believer.next_row(at, before);
  EXPECT_LT((believer.whiten(at).bottomRows(1) - row).norm(), 1e-12);
  believer.add(more.row(1));
  Points all(22, 3);
  all << x, more;
  const gp::ExactPosterior exact(model.kernel(), all, {}, model.noise());
  const Vector found = believer.deviation(believer.whiten(at).colwise().squaredNorm());
  const Vector expected = (model.variance() * exact.variance(at).variance).cwiseSqrt();
  EXPECT_LT((found - expected).norm(), 1e-9);
}

TEST(SearchSpace, ALatinHypercubeHasOnePointInEveryStratum) {
  const SearchSpace space(setting_on(Domain::box(3), 1, 1));
  const Points points = space.spread(20, 1, 0);
  for (Eigen::Index c = 0; c < 3; ++c) {
    std::set<int> strata;
    for (Eigen::Index i = 0; i < 20; ++i) strata.insert(static_cast<int>(points(i, c) * 20));
    EXPECT_EQ(strata.size(), 20U);
  }
}

TEST(SearchSpace, EverythingLiesInTheDomain) {
  for (const Domain& domain : {Domain::box(2), Domain::ball(3, 0.7), mixed_box()}) {
    const SearchSpace space(setting_on(domain, 1, 1));
    Points points = space.uniform(50, 1, 3);
    const Points around = space.around(points, 9, 2, 3);
    const Points neighbours = space.neighbours(points.row(0), 0.5);
    for (const Points& some : {points, around, neighbours}) {
      for (Eigen::Index i = 0; i < some.rows(); ++i) {
        EXPECT_TRUE(domain.contains({some.row(i).data(), domain.dimension()}));
      }
    }
  }
}

// From any point of the mixed box the next int and every other choice are one step away.
TEST(SearchSpace, NeighboursReachEveryChoiceAndTheNextInt) {
  const Domain domain = mixed_box();
  const SearchSpace space(setting_on(domain, 1, 1));
  std::set<double> ints, choices;
  const Points neighbours = space.neighbours(Vector{{0.5, 0.5, 0.5}}, 1e-4);
  for (Eigen::Index i = 0; i < neighbours.rows(); ++i) {
    const auto values = domain.values({neighbours.row(i).data(), 3});
    ints.insert(values[1]);
    choices.insert(values[2]);
  }
  EXPECT_EQ(ints, (std::set<double>{2, 3, 4}));
  EXPECT_EQ(choices, (std::set<double>{0, 1, 2}));
}

double on_mixed(base::AgentId agent, std::uint32_t t, const Vector& x) {
  const auto v = mixed_box().values({x.data(), 3});
  double noise = 0;
  test_coin(99).normals(
      {.purpose = random::Purpose::kNoise, .agent = base::value(agent), .slot = t}, {&noise, 1});
  const double off = v[0] - (v[2] == 1 ? 0.8 : 0.3);
  return (v[2] == 1 ? 1 : 0.85) - 4 * off * off - 0.05 * std::abs(v[1] - 2) + 0.05 * noise;
}

// 100 queries of a smooth function with noise a twentieth of its range: the best choice, the best
// int or the one beside it, and the float within 0.1.
TEST(BatchGp, FindsTheBestCategory) {
  const Setting setting = setting_on(mixed_box(), 5, 20);
  const auto policy = make_batch_gp(setting, {});
  play_all(*policy, setting, on_mixed);
  const Vector point = policy->recommend().value();
  const auto values = mixed_box().values({point.data(), 3});
  EXPECT_EQ(values[2], 1);
  EXPECT_NEAR(values[1], 2, 1);
  EXPECT_NEAR(values[0], 0.8, 0.1);
}

// It must beat drawing at random: on average over its queries, and in what it recommends.
TEST(BatchGp, LearnsOnABox) {
  const Setting setting = setting_on(Domain::box(2), 4, 15);
  const auto truth = [](const Vector& x) {
    return std::exp(-4 * (x.array() - 0.3).square().sum());
  };
  const auto mean_of = [&](problems::Policy& policy) {
    double sum = 0;
    for (const Query& query : play_all(policy, setting)) sum += truth(query.x);
    return sum / 60;
  };
  const auto learner = make_batch_gp(setting, {});
  const auto drawn = make_random_search(setting, {});
  EXPECT_GT(mean_of(*learner), mean_of(*drawn) + 0.2);
  EXPECT_GT(truth(learner->recommend().value()), 0.95);
  EXPECT_FALSE(drawn->recommend());
}

TEST(BatchGp, PlaysCandidatesOfAFiniteSetAndPointsOfABall) {
  const Setting finite = finite_setting(3, 6, random_points(21, 40, 2));
  const auto on_finite = make_batch_gp(finite, {});
  for (const Query& query : play_all(*on_finite, finite)) {
    EXPECT_GE(row_equal(finite.latents, query.x), 0);
  }
  EXPECT_GE(row_equal(finite.latents, on_finite->recommend().value()), 0);
  const Setting round = setting_on(Domain::ball(2, 2), 3, 6);
  const auto on_ball = make_batch_gp(round, {});
  for (const Query& query : play_all(*on_ball, round)) {
    EXPECT_TRUE(round.domain->contains({query.x.data(), 2}));
  }
}

// N T (d + 1) over all links; the paper's ledger counts the points of all agents and one reward.
TEST(BatchGp, CountsAskAndTell) {
  const Setting setting = setting_on(mixed_box(), 4, 3);
  const auto policy = make_batch_gp(setting, {});
  problems::Channel channel(4);
  for (std::uint32_t t = 0; t < 3; ++t) play_round(*policy, 4, t, channel, on_mixed);
  EXPECT_EQ(channel.ledger().totals().links, 4U * 3 * (3 + 1));
  EXPECT_EQ(channel.ledger().totals().figure, 4U * 3);
  EXPECT_EQ(channel.ledger().totals().paper, 3 * (4 * 3 + 1));
}

TEST(BatchGp, ARunIsAFunctionOfItsCoinAndRewards) {
  const auto play = [](std::uint64_t seed) {
    const Setting setting = setting_on(Domain::box(2), 2, 8, seed);
    return trace(play_all(*make_batch_gp(setting, {}), setting));
  };
  EXPECT_EQ(play(7), play(7));
  EXPECT_NE(play(7), play(8));
}

// All rewards equal: nothing to learn from, and nothing that is not a number.
TEST(BatchGp, SurvivesRewardsThatAreAllEqual) {
  const Setting setting = setting_on(Domain::box(2), 3, 6);
  const auto policy = make_batch_gp(setting, {});
  const auto one = [](base::AgentId, std::uint32_t, const Vector&) { return 1.0; };
  for (const Query& query : play_all(*policy, setting, one)) EXPECT_TRUE(query.x.allFinite());
  EXPECT_TRUE(policy->recommend().value().allFinite());
}

// One agent has a single reward after the first round, too few for a fit.
TEST(BatchGp, PlaysTheShortestRuns) {
  for (const std::uint32_t horizon : {1U, 2U, 3U, 7U}) {
    const Setting setting = setting_on(Domain::box(2), 1, horizon);
    const auto policy = make_batch_gp(setting, {});
    EXPECT_EQ(play_all(*policy, setting).size(), horizon);
    EXPECT_EQ(policy->recommend().has_value(), horizon > 1);
  }
}

// 2000 draws of a fresh point each: nobody plays a point twice, and the mean is the middle, within
// 5 deviations of 1 / sqrt(12 * 2000).
TEST(RandomSearch, DrawsFreshPoints) {
  const Setting setting = setting_on(Domain::box(1), 20, 100);
  std::set<double> seen;
  double sum = 0;
  for (const Query& query : play_all(*make_random_search(setting, {}), setting)) {
    seen.insert(query.x[0]);
    sum += query.x[0];
  }
  EXPECT_EQ(seen.size(), 2000U);
  EXPECT_NEAR(sum / 2000, 0.5, 5 / std::sqrt(12 * 2000.0));
}

}  // namespace
}  // namespace duets::baselines
