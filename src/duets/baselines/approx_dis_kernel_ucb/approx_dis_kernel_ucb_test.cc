#include "duets/baselines/approx_dis_kernel_ucb/approx_dis_kernel_ucb.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "duets/base/error.h"
#include "duets/baselines/arms_test_support.h"
#include "duets/gp/exact.h"

namespace duets::baselines {
namespace {

using base::AgentId;
using numeric::Matrix;
using numeric::Points;
using numeric::Vector;
using problems::Channel;

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kKeepAll = 1e9;  // an oversampling with which every coin keeps

// What the agents of a run have seen: the data of the last synchronisation, and since then.
struct Record {
  std::vector<Query> pooled;
  std::vector<Query> since;

  void take(const std::vector<Query>& round, bool synchronised) {
    since.insert(since.end(), round.begin(), round.end());
    if (!synchronised) return;
    pooled.insert(pooled.end(), since.begin(), since.end());
    since.clear();
  }
  // The pool and what the agent has added itself.
  std::vector<Query> known_to(AgentId agent) const {
    std::vector<Query> out = pooled;
    for (const Query& query : since) {
      if (query.agent == agent) out.push_back(query);
    }
    return out;
  }
};

// The formulas of the README, literally, with the symmetric root of K_SS: another root than the
// one under test.
struct NaiveApproximation {
  Vector mean;
  Vector leverage;
};

Matrix naive_features(const kernel::Kernel& kernel, const Points& dictionary, const Points& x) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(kernel::gram(kernel, dictionary));
  return kernel::cross(kernel, x, dictionary) * eigen.operatorInverseSqrt();
}

NaiveApproximation naive(const kernel::Kernel& kernel, const Points& dictionary,
                         const std::vector<Query>& queries, double lambda, const Points& x) {
  const auto [points, rewards] = data_of(queries);
  const Matrix data = naive_features(kernel, dictionary, points);
  Matrix a = lambda * Matrix::Identity(dictionary.rows(), dictionary.rows());
  Vector b = Vector::Zero(dictionary.rows());
  for (Eigen::Index i = 0; i < data.rows(); ++i) {
    const Vector z = data.row(i).transpose();
    a += z * z.transpose();
    b += z * rewards[i];
  }
  const Eigen::LDLT<Matrix> solver(a);
  const Matrix at = naive_features(kernel, dictionary, x);
  NaiveApproximation out{at * solver.solve(b), Vector(x.rows())};
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const Vector z = at.row(i).transpose();
    out.leverage[i] = (kernel.variance - z.squaredNorm()) / lambda + z.dot(solver.solve(z));
  }
  return out;
}

double largest_difference(const Vector& a, const Vector& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

// With every queried point in S the features carry the whole posterior: after a synchronisation it
// is the exact one of all data; and with few arms an agent's later queries are often in S too, and
// exact, which needs the outer products of its own z. Errors are those of K_SS (condition below 1e4
// for these arms), of order 1e-12; leverage is variance / lambda.
TEST(ApproxDisKernelUcb, IsTheExactPosteriorWhenEveryPointIsInTheDictionary) {
  for (const std::uint32_t agents : {1U, 4U}) {
    const Points points = random_points(3, 8, 2);
    const Setting setting = finite_setting(agents, 30, points);
    ApproxDisKernelUcb policy(setting, {.beta = 2, .threshold = 20, .oversampling = kKeepAll});
    Channel channel(agents);
    Record record;
    std::size_t num_compared = 0;
    std::size_t num_with_own = 0;
    for (std::uint32_t t = 0; t + 1 < setting.horizon; ++t) {
      const std::uint32_t before = policy.num_syncs();
      const std::vector<Query> round = play_round(policy, agents, t, channel);
      record.take(round, policy.num_syncs() > before);
      for (std::uint32_t a = 0; a < agents; ++a) {
        const std::vector<Query> known = record.known_to(AgentId{a});
        const bool covered = std::ranges::all_of(known, [&](const Query& query) {
          return row_equal(policy.dictionary().points(), query.x) >= 0;
        });
        if (!covered) continue;
        const auto [data, rewards] = data_of(known);
        const gp::ExactPosterior exact(setting.arms->kernel(), data, Vector(), setting.lambda);
        const Moments& moments = policy.model(AgentId{a}).at_arms();
        EXPECT_LE(largest_difference(moments.mean, exact.mean(points, rewards)), 1e-11);
        EXPECT_LE(
            largest_difference(setting.lambda * moments.leverage, exact.variance(points).variance),
            1e-11);
        ++num_compared;
        if (policy.model(AgentId{a}).num_own() > 1) ++num_with_own;
      }
    }
    EXPECT_GE(num_compared, 2U) << "agents " << agents;
    EXPECT_TRUE(agents == 1 || num_with_own > 20);
  }
}

// Plays a run and holds every model and every choice against the formulas: points outside S,
// several own queries, each of which adds an outer product z z^T to A and z y to b; and every
// choice is the argmax of the agent's present model, not of the one at the synchronisation. Returns
// how often an agent's arm changed between two synchronisations.
std::size_t check_run(const Setting& setting, const Tuning& tuning) {
  const Points& points = setting.latents;
  ApproxDisKernelUcb policy(setting, tuning);
  Channel channel(setting.agents);
  Record record;
  std::size_t num_checked = 0;
  std::size_t num_changed = 0;
  std::vector<Query> previous;
  for (std::uint32_t t = 0; t + 1 < setting.horizon; ++t) {
    std::vector<Query> round;
    for (std::uint32_t a = 0; a < setting.agents; ++a) {
      const Vector x = policy.choose(AgentId{a}, t);
      const LocalModel& model = policy.model(AgentId{a});
      if (policy.dictionary().size() > 0) {
        const NaiveApproximation want = naive(setting.arms->kernel(), policy.dictionary().points(),
                                              record.known_to(AgentId{a}), setting.lambda, points);
        EXPECT_LE(largest_difference(model.at_arms().mean, want.mean), 1e-10);
        EXPECT_LE(largest_difference(model.at_arms().leverage, want.leverage), 1e-10);
        const Moments anywhere = model.at(points);
        EXPECT_LE(largest_difference(anywhere.mean, want.mean), 1e-10);
        EXPECT_LE(largest_difference(anywhere.leverage, want.leverage), 1e-10);
        const Vector score = want.mean.array() + tuning.beta * want.leverage.array().max(0).sqrt();
        EXPECT_GE(score[row_equal(points, x)], score.maxCoeff() - 1e-9);
        if (model.num_own() > 1) ++num_checked;
        if (model.num_own() > 0 && x != previous[a].x) ++num_changed;
      }
      const double y = noisy_reward(AgentId{a}, t, x);
      policy.learn(AgentId{a}, t, y);
      round.push_back({AgentId{a}, t, x, y});
    }
    const std::uint32_t before = policy.num_syncs();
    policy.end_round(t, channel);
    record.take(round, policy.num_syncs() > before);
    previous = round;
  }
  EXPECT_GE(policy.num_syncs(), 1U);
  EXPECT_GT(num_checked, 5U);
  return num_changed;
}

TEST(ApproxDisKernelUcb, AgentsFollowTheirOwnDataBetweenSynchronisations) {
  check_run(finite_setting(3, 40, random_points(5, 60, 2)),
            {.beta = 1, .threshold = 6, .oversampling = 0.2});
  const std::size_t num_changed = check_run(finite_setting(4, 60, random_points(3, 8, 2)),
                                            {.beta = 2, .threshold = 20, .oversampling = kKeepAll});
  EXPECT_GT(num_changed, 10U);
}

// Two agents, d = 2, lambda = 1: each query gathers leverage 1, so 1.5 is exceeded by the second.
// All four (different) points are kept: s_1 = s_2 = 2, m = 4.
TEST(ApproxDisKernelUcb, LedgerOfAHandCountedSynchronisation) {
  const Setting setting = finite_setting(2, 4, random_points(1, 500, 2), 1.0);
  ApproxDisKernelUcb policy(setting, {.beta = 1, .threshold = 1.5, .oversampling = 1});
  Channel channel(2);
  std::vector<Query> queries = play_round(policy, 2, 0, channel);
  EXPECT_EQ(channel.ledger().totals(), base::LedgerTotals{});
  for (const Query& query : play_round(policy, 2, 1, channel)) queries.push_back(query);
  const auto all = trace(queries);
  ASSERT_EQ(std::set(all.begin(), all.end()).size(), 4U);
  ASSERT_EQ(policy.num_syncs(), 1U);
  EXPECT_EQ(policy.dictionary().size(), 4U);
  const base::LedgerTotals totals = channel.ledger().totals();
  // (sum s_i d)/N + m^2 + m + (m d + m^2 + m) = 8/2 + 20 + 28.
  EXPECT_EQ(totals.paper, 52.0);
  // sum s_i d + N (m^2 + m) = 8 + 40.
  EXPECT_EQ(totals.figure, 48U);
  // The same + N (m d + m^2 + m) = 48 + 56.
  EXPECT_EQ(totals.links, 104U);
}

// lambda = 0.2: a query gathers exactly 5 before the first synchronisation; 20 is exceeded by the
// fifth query, not by the fourth.
TEST(ApproxDisKernelUcb, SynchronisesWhenTheGatheredLeverageExceedsTheThreshold) {
  const Setting setting = finite_setting(3, 10, random_points(2, 50, 2));
  ApproxDisKernelUcb policy(setting, {.beta = 1});
  Channel channel(3);
  for (std::uint32_t t = 0; t < 4; ++t) play_round(policy, 3, t, channel);
  EXPECT_EQ(policy.num_syncs(), 0U);
  EXPECT_EQ(policy.gathered(AgentId{2}), 20.0);
  play_round(policy, 3, 4, channel);
  EXPECT_EQ(policy.num_syncs(), 1U);
  EXPECT_EQ(policy.gathered(AgentId{2}), 0.0);
  // From now on by the leverage at the synchronisation, not by the agent's own.
  const Moments pooled = policy.model(AgentId{0}).at_arms();
  const auto round = play_round(policy, 3, 5, channel);
  ASSERT_EQ(policy.num_syncs(), 1U);
  EXPECT_EQ(policy.gathered(AgentId{0}), pooled.leverage[row_equal(setting.latents, round[0].x)]);
  const auto next = play_round(policy, 3, 6, channel);
  ASSERT_EQ(policy.num_syncs(), 1U);
  EXPECT_EQ(policy.gathered(AgentId{0}),
            pooled.leverage[row_equal(setting.latents, round[0].x)] +
                pooled.leverage[row_equal(setting.latents, next[0].x)]);
}

TEST(ApproxDisKernelUcb, ThresholdsZeroAndInfinity) {
  const Setting setting = finite_setting(2, 6, random_points(2, 30, 2));
  ApproxDisKernelUcb always(setting, {.beta = 1, .threshold = 0});
  play_all(always, setting);
  EXPECT_EQ(always.num_syncs(), 5U) << "not after the last round";
  ApproxDisKernelUcb never(setting, {.beta = 1, .threshold = kNever});
  play_all(never, setting);
  EXPECT_EQ(never.num_syncs(), 0U);
}

// Before the first synchronisation all arms tie, so every agent plays at random on its own. Two
// agents meet with probability 1/1000 a round: 10 rounds of 4 agents without any repetition fail
// with probability below 10 * 6 / 1000 for a random seed; this seed is fixed.
TEST(ApproxDisKernelUcb, FirstArmsAreDrawnPerAgent) {
  const Setting setting = finite_setting(4, 10, random_points(4, 1000, 1));
  ApproxDisKernelUcb policy(setting, {.beta = 1, .threshold = kNever});
  const auto all = trace(play_all(policy, setting));
  EXPECT_GE(std::set(all.begin(), all.end()).size(), 38U);
}

// lambda = 4: every query has leverage 1/4, and is kept with that probability. The number kept of
// 500 different points is binomial, mean 125, deviation 9.7; five deviations: false alarm 6e-7.
TEST(ApproxDisKernelUcb, KeepsPointsInProportionToTheirLeverage) {
  const Setting setting = finite_setting(50, 11, random_points(8, 4000, 3), 4.0);
  ApproxDisKernelUcb policy(setting, {.beta = 1, .threshold = 2.4});
  Channel channel(50);
  for (std::uint32_t t = 0; t < 10; ++t) play_round(policy, 50, t, channel);
  ASSERT_EQ(policy.num_syncs(), 1U);
  EXPECT_GT(policy.dictionary().size(), 76U);
  EXPECT_LT(policy.dictionary().size(), 174U);
}

TEST(ApproxDisKernelUcb, NoAgentKeepsAPointBeforeThereIsADictionary) {
  const Setting setting = finite_setting(2, 9, random_points(2, 30, 2));
  ApproxDisKernelUcb policy(setting, {.beta = 1, .threshold = 4, .oversampling = 1e-300});
  Channel channel(2);
  for (std::uint32_t t = 0; t < 8; ++t) {
    play_round(policy, 2, t, channel);
    EXPECT_EQ(policy.num_syncs(), t + 1);
    EXPECT_EQ(policy.dictionary().size(), 0U);
  }
  EXPECT_EQ(channel.ledger().totals(), base::LedgerTotals{});
}

// When no agent keeps a point the dictionary stays and the moments are sent again: 2 (m^2 + m)
// reals in the paper's ledger, none for points.
TEST(ApproxDisKernelUcb, NoAgentKeepsAPointLater) {
  const Setting setting = finite_setting(1, 40, random_points(2, 30, 2), 1.0);
  ApproxDisKernelUcb policy(setting, {.beta = 1, .threshold = 0, .oversampling = 0.3});
  Channel channel(1);
  std::size_t num_empty = 0;
  double sent = 0;
  for (std::uint32_t t = 0; t < 40; ++t) {
    const auto before = policy.dictionary().points();
    play_round(policy, 1, t, channel);
    const auto m = static_cast<double>(policy.dictionary().size());
    ASSERT_TRUE(before.rows() == 0 || m > 0);
    const double paper = channel.ledger().totals().paper - sent;
    sent += paper;
    if (before.rows() > 0 && paper == 2 * (m * m + m)) {
      ++num_empty;
      EXPECT_EQ(policy.dictionary().points(), before);
    }
  }
  EXPECT_GT(num_empty, 0U);
}

// Candidates that coincide are one point to the kernel: the dictionary holds it once, however many
// of them were played, and needs no jitter.
TEST(ApproxDisKernelUcb, DuplicateCandidatesEnterTheDictionaryOnce) {
  const Points different = random_points(6, 10, 2);
  Points points(40, 2);
  for (Eigen::Index i = 0; i < 40; ++i) points.row(i) = different.row(i % 10);
  const Setting setting = finite_setting(4, 20, points);
  ApproxDisKernelUcb policy(setting, {.beta = 1, .oversampling = kKeepAll});
  play_all(policy, setting);
  ASSERT_GE(policy.num_syncs(), 1U);
  const Points& dictionary = policy.dictionary().points();
  std::set<std::pair<double, double>> unique;
  for (Eigen::Index i = 0; i < dictionary.rows(); ++i) {
    unique.insert({dictionary(i, 0), dictionary(i, 1)});
  }
  EXPECT_EQ(unique.size(), static_cast<std::size_t>(dictionary.rows()));
  EXPECT_LE(unique.size(), 10U);
  EXPECT_EQ(policy.dictionary().jitter(), 0.0);
}

TEST(ApproxDisKernelUcb, BetaZeroPlaysTheLargestMean) {
  const Setting setting = finite_setting(2, 12, random_points(6, 40, 2));
  ApproxDisKernelUcb policy(setting, {.beta = 0});
  Channel channel(2);
  for (std::uint32_t t = 0; t < 5; ++t) play_round(policy, 2, t, channel);
  ASSERT_EQ(policy.num_syncs(), 1U);
  for (std::uint32_t t = 5; t < 12; ++t) {
    const Vector mean = policy.model(AgentId{1}).at_arms().mean;
    const auto round = play_round(policy, 2, t, channel);
    EXPECT_EQ(mean[row_equal(setting.latents, round[1].x)], mean.maxCoeff());
  }
}

// A tiny lambda makes leverages up to 1e6: a synchronisation every round, all points kept. The mean
// is then nearly interpolation; K_SS (condition about 1e4) and 1/lambda leave it 1e-7.
TEST(ApproxDisKernelUcb, TinyLambda) {
  const Setting setting = finite_setting(3, 6, random_points(6, 40, 2), 1e-6);
  ApproxDisKernelUcb policy(setting, {.beta = 1, .oversampling = kKeepAll});
  Channel channel(3);
  Record record;
  for (std::uint32_t t = 0; t < 5; ++t) {
    record.take(play_round(policy, 3, t, channel), true);
    ASSERT_EQ(policy.num_syncs(), t + 1);
    const auto [data, rewards] = data_of(record.pooled);
    const gp::ExactPosterior exact(setting.arms->kernel(), data, Vector(), setting.lambda);
    const Moments& moments = policy.model(AgentId{0}).at_arms();
    EXPECT_LE(largest_difference(moments.mean, exact.mean(setting.latents, rewards)), 1e-7);
    EXPECT_LE(largest_difference(setting.lambda * moments.leverage,
                                 exact.variance(setting.latents).variance),
              1e-9);
  }
}

TEST(ApproxDisKernelUcb, OneAgentAndOneRound) {
  const Setting lonely = finite_setting(1, 20, random_points(6, 40, 2));
  ApproxDisKernelUcb policy(lonely, {.beta = 1});
  EXPECT_EQ(play_all(policy, lonely).size(), 20U);
  EXPECT_GE(policy.num_syncs(), 1U);
  const Setting brief = finite_setting(5, 1, random_points(6, 40, 2));
  ApproxDisKernelUcb quick(brief, {.beta = 1, .threshold = 0});
  EXPECT_EQ(play_all(quick, brief).size(), 5U);
  EXPECT_EQ(quick.num_syncs(), 0U) << "after the last query it would help none";
  EXPECT_TRUE(quick.recommend().has_value());
}

TEST(ApproxDisKernelUcb, ARunIsAFunctionOfItsSeed) {
  const auto run = [](std::uint64_t seed) {
    const Setting setting = finite_setting(3, 25, random_points(6, 80, 2), 0.2, seed);
    return trace(play_all(*make_approx_dis_kernel_ucb(setting, {.beta = 0.5}), setting));
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

// On a box the pool's best arm is improved between the arms: values there are those of the same
// model, and the points lie in the box.
TEST(ApproxDisKernelUcb, ContinuousDomain) {
  Setting setting = finite_setting(2, 14, random_points(6, 60, 2));
  setting.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  const auto run = [&] {
    ApproxDisKernelUcb policy(setting, {.beta = 1});
    const auto queries = play_all(policy, setting);
    EXPECT_GE(policy.num_syncs(), 1U);
    const Moments at = policy.model(AgentId{1}).at(setting.latents);
    EXPECT_LE(largest_difference(at.mean, policy.model(AgentId{1}).at_arms().mean), 1e-11);
    EXPECT_LE(largest_difference(at.leverage, policy.model(AgentId{1}).at_arms().leverage), 1e-11);
    EXPECT_GT(policy.model(AgentId{1}).num_own(), 0U);
    return queries;
  };
  const auto queries = run();
  std::size_t num_between = 0;
  for (const Query& query : queries) {
    EXPECT_TRUE(setting.domain->contains({query.x.data(), 2}));
    if (row_equal(setting.latents, query.x) < 0) ++num_between;
  }
  EXPECT_GT(num_between, 5U);
  EXPECT_EQ(trace(queries), trace(run()));
}

TEST(ApproxDisKernelUcb, RefusesBadTuning) {
  const Setting setting = finite_setting(2, 3, random_points(6, 20, 2));
  const auto refuses = [&](const Tuning& tuning) {
    EXPECT_THROW(make_approx_dis_kernel_ucb(setting, tuning), base::Error);
  };
  refuses({.beta = -1});
  refuses({.beta = std::nan("")});
  refuses({.beta = 1, .threshold = -1});
  refuses({.beta = 1, .threshold = std::nan("")});
  refuses({.beta = 1, .oversampling = 0});
  refuses({.beta = 1, .oversampling = kNever});
}

}  // namespace
}  // namespace duets::baselines
