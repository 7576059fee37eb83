#include "duets/baselines/dis_kernel_ucb/dis_kernel_ucb.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "duets/base/error.h"
#include "duets/baselines/acquisition.h"
#include "duets/baselines/arms_test_support.h"
#include "duets/baselines/n_kernel_ucb/n_kernel_ucb.h"
#include "duets/gp/exact.h"

namespace duets::baselines {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr double kNoThreshold = std::numeric_limits<double>::infinity();

struct NaiveUcb {
  Eigen::Index arm = 0;
  double gap = 0;             ///< lead over the second
  double log_det_growth = 0;  ///< what a query of that arm adds
};

/// GP-UCB with the exact posterior, refitted.
NaiveUcb naive_choice(const Setting& setting, const std::vector<Query>& known, double beta) {
  const auto [points, rewards] = data_of(known);
  const gp::ExactPosterior posterior(setting.arms->kernel(), points, {}, setting.lambda);
  const Vector variance = posterior.variance(setting.latents).variance;
  Vector bound = confidence_bound(posterior.mean(setting.latents, rewards), variance, beta);
  NaiveUcb out;
  const double top = bound.maxCoeff(&out.arm);
  bound[out.arm] = -1e9;
  out.gap = top - bound.maxCoeff();
  out.log_det_growth = std::log1p(variance[out.arm] / setting.lambda);
  return out;
}

// Rewards are continuous and no two arms are the same, so ties have probability 0 after the first
// round; the gap says that rounding decided nothing.
TEST(DisKernelUcb, WithoutThresholdItIsACentralLearnerWithNPullsPerRound) {
  const Setting setting = finite_setting(4, 25, random_points(21, 80, 2));
  for (const double beta : {0.0, 0.3, 2.0}) {
    const auto policy = make_dis_kernel_ucb(setting, {.beta = beta, .threshold = 0.0});
    problems::Channel channel(4);
    std::vector<Query> known;
    for (std::uint32_t t = 0; t < setting.horizon; ++t) {
      const std::vector<Query> round = play_round(*policy, 4, t, channel);
      if (t > 0) {
        const NaiveUcb naive = naive_choice(setting, known, beta);
        EXPECT_GT(naive.gap, 1e-9);
        for (const Query& query : round) {
          EXPECT_EQ(row_equal(setting.latents, query.x), naive.arm) << "t " << t;
        }
      }
      known.insert(known.end(), round.begin(), round.end());
    }
  }
}

TEST(DisKernelUcb, WithInfiniteThresholdItIsNKernelUcb) {
  const Setting setting = finite_setting(4, 40, random_points(22, 100, 3));
  for (const double beta : {0.0, 0.5, 5.0}) {
    const auto dis = make_dis_kernel_ucb(setting, {.beta = beta, .threshold = kNoThreshold});
    const auto alone = make_n_kernel_ucb(setting, {.beta = beta});
    EXPECT_EQ(trace(play_all(*dis, setting)), trace(play_all(*alone, setting)));
  }
}

// The whole algorithm once more, naively: trigger, pool, own data since.
TEST(DisKernelUcb, SynchronisesWhenTheRuleSaysAndPoolsEverything) {
  constexpr double kBeta = 1.0;
  constexpr double kThreshold = 6.0;
  constexpr std::uint32_t kAgents = 3;
  const Setting setting = finite_setting(kAgents, 40, random_points(23, 80, 2));
  const auto policy = make_dis_kernel_ucb(setting, {.beta = kBeta, .threshold = kThreshold});
  problems::Channel channel(kAgents);
  std::vector<Query> pool;
  std::vector<std::vector<Query>> own(kAgents);
  std::vector<double> growth(kAgents, 0.0);
  std::uint64_t reals = 0;
  std::size_t syncs = 0;
  for (std::uint32_t t = 0; t < setting.horizon; ++t) {
    const std::vector<Query> round = play_round(*policy, kAgents, t, channel);
    bool due = false;
    for (std::uint32_t a = 0; a < kAgents; ++a) {
      std::vector<Query> known = pool;
      known.insert(known.end(), own[a].begin(), own[a].end());
      double added = std::log1p(1.0 / setting.lambda);  // the prior variance is 1
      if (t > 0) {
        const NaiveUcb naive = naive_choice(setting, known, kBeta);
        EXPECT_GT(naive.gap, 1e-9);
        EXPECT_EQ(row_equal(setting.latents, round[a].x), naive.arm) << "t " << t;
        added = naive.log_det_growth;
      }
      growth[a] += added;
      own[a].push_back(round[a]);
      const double trigger = static_cast<double>(own[a].size()) * growth[a];
      EXPECT_GT(std::abs(trigger - kThreshold), 1e-9);  // nor did rounding decide this
      due = due || trigger > kThreshold;
    }
    if (due) {
      for (std::uint32_t a = 0; a < kAgents; ++a) {
        pool.insert(pool.end(), own[a].begin(), own[a].end());
        reals += own[a].size() * 3;
        own[a].clear();
        growth[a] = 0;
      }
      ++syncs;
    }
    EXPECT_EQ(channel.ledger().totals().figure, reals) << "t " << t;
  }
  EXPECT_GT(syncs, 3U);
  EXPECT_LT(syncs, setting.horizon / 2);
}

// Per synchronisation, N = 3, d = 2, Dt = 1: paper Dt (d+1) + N Dt (d+1) = 3 + 9, figure
// N Dt (d+1) = 9, links N^2 Dt (d+1) = 27.
TEST(DisKernelUcb, LedgersOfASynchronisationEachRound) {
  const Setting setting = finite_setting(3, 5, random_points(24, 30, 2));
  const auto policy = make_dis_kernel_ucb(setting, {.beta = 1, .threshold = 0.0});
  problems::Channel channel(3);
  for (std::uint32_t t = 0; t < 4; ++t) {
    play_round(*policy, 3, t, channel);
    const base::LedgerTotals totals = channel.ledger().totals();
    EXPECT_EQ(totals.paper, 12.0 * (t + 1));
    EXPECT_EQ(totals.figure, 9U * (t + 1));
    EXPECT_EQ(totals.links, 27U * (t + 1));
    EXPECT_EQ(totals.closing, 0U);
  }
}

// Arms so far apart that the kernel is 0, and lambda = 1 / (e - 1): a new arm adds exactly
// ln(1 + 1/lambda) = 1, and at beta = 5 with rewards of 0 only new arms are played. After n rounds
// the trigger stands at n^2: 1, 4, 9 > 8. So there are synchronisations after rounds 3 and 6, each
// with Dt = 3: paper 9 + 27, figure 27, links 81.
TEST(DisKernelUcb, LedgersOfSeveralRoundsTogether) {
  Points x(60, 2);
  for (Eigen::Index i = 0; i < 60; ++i) x.row(i) << 1000.0 * static_cast<double>(i), 0.0;
  const Setting setting = finite_setting(3, 8, x, 1.0 / (std::exp(1.0) - 1.0));
  const auto policy = make_dis_kernel_ucb(setting, {.beta = 5, .threshold = 8.0});
  problems::Channel channel(3);
  const auto nothing = [](base::AgentId, std::uint32_t, const Vector&) { return 0.0; };
  for (std::uint32_t t = 0; t < 8; ++t) {
    play_round(*policy, 3, t, channel, nothing);
    const std::uint64_t syncs = (t + 1) / 3;
    const base::LedgerTotals totals = channel.ledger().totals();
    EXPECT_EQ(totals.paper, 36.0 * static_cast<double>(syncs)) << "t " << t;
    EXPECT_EQ(totals.figure, 27U * syncs);
    EXPECT_EQ(totals.links, 81U * syncs);
  }
}

TEST(DisKernelUcb, TheDefaultThresholdIsTen) {
  const Setting setting = finite_setting(3, 30, random_points(25, 60, 2));
  const auto given = make_dis_kernel_ucb(setting, {.beta = 1, .threshold = 10.0});
  const auto standard = make_dis_kernel_ucb(setting, {.beta = 1});
  EXPECT_EQ(trace(play_all(*given, setting)), trace(play_all(*standard, setting)));
}

TEST(DisKernelUcb, OneAgentPoolsWithItselfAndOneRoundIsEnough) {
  const Setting setting = finite_setting(1, 30, random_points(26, 60, 2));
  const auto dis = make_dis_kernel_ucb(setting, {.beta = 1, .threshold = 0.0});
  const auto alone = make_n_kernel_ucb(setting, {.beta = 1});
  EXPECT_EQ(trace(play_all(*dis, setting)), trace(play_all(*alone, setting)));

  const Setting once = finite_setting(5, 1, random_points(26, 60, 2));
  const auto policy = make_dis_kernel_ucb(once, {.beta = 1});
  EXPECT_EQ(play_all(*policy, once).size(), 5U);
}

TEST(DisKernelUcb, NeitherFewNorManyCoordinatesNorATinyLambdaHurt) {
  for (const Eigen::Index d : {1, 50}) {
    for (const double lambda : {1e-6, 0.2}) {
      for (const double threshold : {0.0, 10.0}) {
        const Setting setting = finite_setting(3, 30, random_points(5, 40, d), lambda);
        const auto policy = make_dis_kernel_ucb(setting, {.beta = 1, .threshold = threshold});
        for (const Query& query : play_all(*policy, setting)) {
          EXPECT_GE(row_equal(setting.latents, query.x), 0);
        }
      }
    }
  }
}

TEST(DisKernelUcb, DuplicateCandidatesAreOnePoint) {
  Points x = random_points(5, 40, 2);
  x.bottomRows(20) = x.topRows(20);
  const Setting twice = finite_setting(3, 30, x);
  const Setting once = finite_setting(3, 30, x.topRows(20));
  // The reference knows each point once.
  const auto policy = make_dis_kernel_ucb(twice, {.beta = 1, .threshold = 0.0});
  problems::Channel channel(3);
  std::vector<Query> known = play_round(*policy, 3, 0, channel);
  for (std::uint32_t t = 1; t < 30; ++t) {
    const Eigen::Index expected = naive_choice(once, known, 1.0).arm;
    for (const Query& query : play_round(*policy, 3, t, channel)) {
      EXPECT_EQ(row_equal(once.latents, query.x), expected) << "t " << t;
      known.push_back(query);
    }
  }
}

TEST(DisKernelUcb, OnABoxAllPlayOnePointAfterASynchronisation) {
  Setting setting = finite_setting(3, 8, random_points(3, 30, 2));
  setting.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  const auto policy = make_dis_kernel_ucb(setting, {.beta = 1, .threshold = 0.0});
  problems::Channel channel(3);
  std::vector<Query> known = play_round(*policy, 3, 0, channel);
  for (std::uint32_t t = 1; t < 8; ++t) {
    const std::vector<Query> round = play_round(*policy, 3, t, channel);
    EXPECT_EQ(round[1].x, round[0].x);
    EXPECT_EQ(round[2].x, round[0].x);
    EXPECT_TRUE(setting.domain->contains({round[0].x.data(), 2}));
    // No worse than the best point of the pool, judged from scratch.
    const auto [points, rewards] = data_of(known);
    const gp::ExactPosterior exact(setting.arms->kernel(), points, {}, setting.lambda);
    const auto bound = [&](const Points& at) {
      return confidence_bound(exact.mean(at, rewards), exact.variance(at).variance, 1.0);
    };
    EXPECT_GE(bound(round[0].x.transpose())[0], bound(setting.latents).maxCoeff() - 1e-12);
    known.insert(known.end(), round.begin(), round.end());
  }
  // d + 1 = 3 reals for each pair, 7 rounds of Dt = 1; the eighth is the last.
  EXPECT_EQ(channel.ledger().totals().figure, 7U * 9U);
}

TEST(DisKernelUcb, OnABoxWithInfiniteThresholdItIsNKernelUcb) {
  Setting setting = finite_setting(2, 8, random_points(3, 30, 2));
  setting.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  const auto dis = make_dis_kernel_ucb(setting, {.beta = 1, .threshold = kNoThreshold});
  const auto alone = make_n_kernel_ucb(setting, {.beta = 1});
  EXPECT_EQ(trace(play_all(*dis, setting)), trace(play_all(*alone, setting)));
}

TEST(DisKernelUcb, RefusesBadTuning) {
  const Setting setting = finite_setting(1, 1, random_points(1, 5, 1));
  EXPECT_THROW(make_dis_kernel_ucb(setting, {.beta = -1}), base::Error);
  EXPECT_THROW(make_dis_kernel_ucb(setting, {.beta = 1, .threshold = -0.1}), base::Error);
  EXPECT_THROW(make_dis_kernel_ucb(setting, {.beta = 1, .threshold = std::nan("")}), base::Error);
}

// On a finite set a pair is an index and a reward.
TEST(DisKernelUcb, PointsCanBeSentAsIndices) {
  const Setting setting = finite_setting(3, 4, random_points(1, 30, 5));
  const auto policy = make_dis_kernel_ucb(setting, {.threshold = 0});
  problems::Channel channel(3, 5 - 1);
  for (std::uint32_t t = 0; t < 2; ++t) play_round(*policy, 3, t, channel);
  EXPECT_EQ(channel.ledger().totals().paper, 2 * (1 + 3) * (5 + 1));
  EXPECT_EQ(channel.paper_with_indices(), 2 * (1 + 3) * (1 + 1));
}

TEST(DisKernelUcb, NothingIsSentAfterTheLastQuery) {
  const Setting setting = finite_setting(3, 4, random_points(1, 30, 5));
  const auto policy = make_dis_kernel_ucb(setting, {.threshold = 0});
  problems::Channel channel(3);
  for (std::uint32_t t = 0; t < 4; ++t) play_round(*policy, 3, t, channel);
  EXPECT_EQ(channel.ledger().totals().figure, 3U * 3 * (5 + 1)) << "after three rounds of four";
  EXPECT_TRUE(policy->recommend().has_value());
}

// Rewards in other units lead to the same queries: level and variance are learned. Scaling by a
// power of two is exact; the level is not, but no tie is that close here.
TEST(FittingDisKernelUcb, DoesNotDependOnTheUnitsOfRewards) {
  const Setting setting = finite_setting(4, 12, random_points(1, 200, 2));
  const Tuning tuning{.beta = 1, .threshold = 0};
  const auto other_units = [](base::AgentId agent, std::uint32_t t, const numeric::Vector& x) {
    return 1024 * noisy_reward(agent, t, x) + 4096;
  };
  const auto fitting = [&](const Reward& reward) {
    return trace(play_all(*make_fitting_dis_kernel_ucb(setting, tuning), setting, reward));
  };
  EXPECT_EQ(fitting(noisy_reward), fitting(other_units));
  const auto fixed = [&](const Reward& reward) {
    return trace(play_all(*make_dis_kernel_ucb(setting, tuning), setting, reward));
  };
  EXPECT_NE(fixed(noisy_reward), fixed(other_units)) << "a fixed model depends on units";
}

TEST(FittingDisKernelUcb, SendsNoMoreThanItsPairs) {
  const Setting setting = finite_setting(4, 6, random_points(1, 50, 2));
  const auto policy = make_fitting_dis_kernel_ucb(setting, {.threshold = 0});
  problems::Channel channel(4);
  for (std::uint32_t t = 0; t < 6; ++t) play_round(*policy, 4, t, channel);
  EXPECT_EQ(channel.ledger().totals().figure, 4U * 5 * (2 + 1));
}

}  // namespace
}  // namespace duets::baselines
