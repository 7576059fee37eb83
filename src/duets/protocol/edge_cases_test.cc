// Studies at the edge of what is allowed: they end, and what holds of every epoch holds of theirs.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "duets/gp/exact.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using numeric::Points;
using numeric::Vector;

void expect_finite(const EpochReport& report) {
  for (const double number :
       {report.region_fraction, report.cut_acceptance, report.sigma2_max_open, report.sigma2_max,
        report.p_unclipped, report.p, report.information_gain, report.width, report.max_stddev,
        report.max_mean, report.tau, report.best_stddev, report.mean_error}) {
    EXPECT_TRUE(std::isfinite(number));
  }
  EXPECT_TRUE(report.best_point.allFinite());
}

// What holds of every closed epoch of a study without a floor.
void expect_sound(TestRun& run, const EpochReport& report) {
  const Study& study = run.study();
  const double prior = report.kernel.variance;  // the study's, or learned
  const double lambda = report.lambda;
  const auto num_points = static_cast<double>(report.num_points);
  expect_finite(report);
  EXPECT_EQ(report.num_points, std::uint64_t{study.agents} * report.length);
  EXPECT_GE(report.num_distinct, 1U);
  EXPECT_LE(report.num_distinct, report.num_points);
  EXPECT_GE(report.num_inducing, 1U);
  EXPECT_LE(report.num_inducing, report.num_selected);
  EXPECT_GE(report.p, 0);
  EXPECT_LE(report.p, 1);
  // Data lower a variance, and n of them at one point leave lambda v / (n v + lambda). The variance
  // is a difference of numbers up to v, each with the rounding of at most 100 products.
  EXPECT_LE(report.sigma2_max, prior);
  EXPECT_GE(report.sigma2_max, lambda * prior / (num_points * prior + lambda) - 1e-12 * prior);
  // Hadamard: n points tell no more than n independent ones.
  EXPECT_GE(report.information_gain, -1e-12);
  EXPECT_LE(report.information_gain, 0.5 * num_points * std::log1p(prior / lambda) + 1e-12);
  EXPECT_EQ(report.width, study.beta);
  EXPECT_EQ(report.max_stddev, std::sqrt(report.sigma2_max));
  // A learned offset is added to both sides after the subtraction: two roundings more.
  const double half = 2 * report.width * report.max_stddev;
  const double size = std::abs(report.max_mean) + std::abs(report.reward_offset) + half;
  EXPECT_NEAR(report.tau, report.max_mean - half,
              study.parameters == Parameters::kFixed ? 0 : 1e-15 * size);
  EXPECT_EQ(report.printed_tau, report.tau);
  EXPECT_GE(report.cut_acceptance, 0);  // on a box or ball estimated
  EXPECT_LE(report.cut_acceptance, 1);
  // The point of the largest mean was in the region, and the cut keeps it.
  const Points best = report.best_point.transpose();
  const PublicView& view = run.coordinator().view();
  EXPECT_NE(view.region(report.epoch).contains(best).inside[0], 0);
  if (report.epoch != EpochId{static_cast<std::uint32_t>(lengths(study).size())}) {
    EXPECT_NE(view.region(base::next(report.epoch)).contains(best).inside[0], 0);
  }
}

struct FinishedRun : TestRun {
  explicit FinishedRun(const Study& study, const RewardFunction& reward = wavy_reward)
      : TestRun(study, reward) {
    finish();
    const std::vector<EpochReport>& reports = summary().epochs();
    const bool closes = study.closing != ClosingRule::kBest;
    EXPECT_EQ(reports.size() + (closes ? 0 : 1), lengths(study).size());
    for (const EpochReport& report : reports) expect_sound(*this, report);
  }
};

std::vector<Inducing> all_inducing() {
  return {Inducing::kCoin, Inducing::kGreedy, Inducing::kPublic};
}

TEST(EdgeCases, OneAgent) {
  for (const Domain& domain : {Domain::finite(lattice(9, 2)), Domain::box(2)}) {
    Study study = small_study(domain);
    study.agents = 1;
    FinishedRun run(study);
    EXPECT_EQ(run.coordinator().summary().epochs().size(), 2U);
    EXPECT_TRUE(run.coordinator().summary().recommendation());
  }
}

TEST(EdgeCases, TwoAgents) {
  Study study = small_study(Domain::ball(2, 3.0));
  study.agents = 2;
  EXPECT_EQ(FinishedRun(study).coordinator().summary().epochs().size(), 2U);
}

// One epoch is the last one: nothing is projected, nothing recommended; the best trial is known.
TEST(EdgeCases, OneEpochRecommendsNothing) {
  for (const std::uint32_t horizon : {1U, 5U, 7U}) {
    Study study = small_study();
    study.horizon = horizon;
    study.t1 = 7;
    TestRun run(study);
    EXPECT_FALSE(run.coordinator().view().knows_inducing(EpochId{1}));
    run.finish();
    EXPECT_TRUE(run.coordinator().summary().epochs().empty());
    EXPECT_FALSE(run.coordinator().summary().recommendation());
    EXPECT_TRUE(run.coordinator().summary().best_trial());
    EXPECT_NE(run.coordinator().summary().run_digest(), base::Digest{});
  }
}

TEST(EdgeCases, OneEpochWithAClosingProjectionRecommends) {
  Study study = small_study();
  study.horizon = 1;
  study.closing = ClosingRule::kProjection;
  FinishedRun run(study);
  ASSERT_EQ(run.coordinator().summary().epochs().size(), 1U);
  EXPECT_EQ(run.coordinator().summary().recommendation()->epoch, EpochId{1});
}

TEST(EdgeCases, OneCandidate) {
  for (const Inducing inducing : all_inducing()) {
    Study study = small_study(Domain::finite(lattice(1, 2)));
    study.inducing = inducing;
    FinishedRun run(study);
    for (const EpochReport& report : run.coordinator().summary().epochs()) {
      EXPECT_EQ(report.num_inducing, 1U);
      EXPECT_EQ(report.survivors, 1U);
      EXPECT_EQ(report.num_distinct, 1U);
    }
  }
}

// Candidates that coincide differ only by index: one inducing point represents all, and they
// survive or are dropped together.
TEST(EdgeCases, DuplicateCandidates) {
  for (const Inducing inducing : all_inducing()) {
    Study study = small_study(Domain::finite(lattice(1, 2).replicate(5, 1)));
    study.inducing = inducing;
    FinishedRun run(study);
    for (const EpochReport& report : run.coordinator().summary().epochs()) {
      EXPECT_EQ(report.num_inducing, 1U);
      EXPECT_EQ(report.survivors, 5U);
    }
  }
}

// The cut keeps what reaches the largest mean exactly: the best candidate and its duplicate.
TEST(EdgeCases, BetaZeroKeepsTheArgmaxSet) {
  Points candidates(12, 1);
  for (Eigen::Index i = 0; i < 12; ++i) candidates(i, 0) = 0.1 * static_cast<double>(i % 6);
  Study study = small_study(Domain::finite(candidates));
  study.beta = 0;
  FinishedRun run(study, [](const Query& q) { return 1 + q.latent[0]; });
  const auto& survivors = run.coordinator().view().region(EpochId{2}).survivors();
  ASSERT_EQ(survivors.size(), 2U);
  EXPECT_EQ(survivors[1], survivors[0] + 6);
  EXPECT_EQ(run.coordinator().summary().epochs()[0].tau,
            run.coordinator().summary().epochs()[0].max_mean);
}

TEST(EdgeCases, ZeroRewardsTrimNothing) {
  for (const Domain& domain : {Domain::finite(lattice(30, 2)), Domain::box(2)}) {
    FinishedRun run(small_study(domain), [](const Query&) { return 0.0; });
    for (const EpochReport& report : run.coordinator().summary().epochs()) {
      EXPECT_EQ(report.max_mean, 0);
      EXPECT_LE(report.tau, 0);
      EXPECT_EQ(report.cut_acceptance, 1);
    }
    EXPECT_EQ(run.trim(1).weights.norm(), 0);
  }
}

TEST(EdgeCases, TinyLambda) {
  for (const Domain& domain : {Domain::finite(lattice(60, 2)), Domain::box(1), Domain::box(2)}) {
    for (const Inducing inducing : all_inducing()) {
      Study study = small_study(domain);
      study.inducing = inducing;
      study.lambda = 1e-12;
      study.horizon = 21;
      study.t1 = 20;
      study.p0 = 1e13;  // p_j = 1: S_j is all of D_j
      FinishedRun run(study);
      const EpochReport& report = run.coordinator().summary().epochs().at(0);
      if (inducing == Inducing::kCoin) {
        EXPECT_EQ(report.p, 1);
        EXPECT_EQ(report.num_selected, report.num_points);
      }
    }
  }
}

// Rewards that are all noise tell nothing: n of them lower the variance v by at most n v^2 /
// lambda, raise a mean to at most n |y| v / lambda, and nothing is cut.
TEST(EdgeCases, HugeLambda) {
  Study study = small_study();
  study.lambda = 1e12;
  FinishedRun run(study);
  ASSERT_EQ(run.coordinator().summary().epochs().size(), 2U);
  for (const EpochReport& report : run.coordinator().summary().epochs()) {
    const double told = static_cast<double>(report.num_points) / study.lambda;
    EXPECT_GE(report.sigma2_max, 1 - told);
    EXPECT_LE(std::abs(report.max_mean), 2 * told);  // |wavy_reward| < 2
    EXPECT_EQ(report.survivors, 40U);
  }
}

// A huge unit is as good as any: rewards of 2^20 times the size with 2^40 times the variance and
// noise give the same points and cuts. All of it is scaled by powers of two, so to the last bit.
TEST(EdgeCases, HugeVariance) {
  Study plain = small_study();
  plain.lambda = 0x1p-40;
  Study huge = plain;
  huge.kernel.variance = 0x1p40;
  huge.lambda = 1;
  huge.p0 = 0x1p-40 * plain.p0;
  FinishedRun expected(plain);
  FinishedRun run(huge, [](const Query& q) { return 0x1p20 * wavy_reward(q); });
  EXPECT_EQ(run.coordinator().summary().run_digest(),
            expected.coordinator().summary().run_digest());
  EXPECT_EQ(run.coordinator().summary().recommendation()->mean,
            0x1p20 * expected.coordinator().summary().recommendation()->mean);
}

TEST(EdgeCases, OneDimension) {
  for (const Domain& domain : {Domain::box(1), Domain::ball(1, 1.0)}) {
    for (const Inducing inducing : all_inducing()) {
      Study study = small_study(domain);
      study.inducing = inducing;
      FinishedRun run(study);
    }
  }
}

// One cut and a last epoch: walks through 50 dimensions for whole pools take seconds.
TEST(EdgeCases, FiftyDimensions) {
  for (const Domain& domain :
       {Domain::box(50), Domain::ball(50, 1.0), Domain::finite(lattice(30, 50))}) {
    for (const Inducing inducing : all_inducing()) {
      Study study = small_study(domain);
      study.inducing = inducing;
      study.horizon = 3;
      study.kernel.lengthscales = {2.0};
      EXPECT_EQ(FinishedRun(study).coordinator().summary().epochs().size(), 1U);
    }
  }
}

// The largest variance is that of the exact posterior with this family, not with another.
TEST(EdgeCases, EveryKernelFamily) {
  using kernel::Family;
  std::set<double> variances;
  for (const Family family :
       {Family::kSquaredExponential, Family::kMatern12, Family::kMatern32, Family::kMatern52}) {
    for (const Domain& domain : {Domain::box(2), Domain::finite(lattice(40, 2))}) {
      Study study = small_study(domain);
      study.kernel = {family, {0.2, 0.5}, 1.5};
      Points data(6, 2);
      {
        TestRun opened(study);
        for (std::uint32_t a = 0; a < 3; ++a) {
          data.middleRows(2 * a, 2) = opened.agent(a).plan().latents();
        }
      }
      FinishedRun run(study);
      if (!domain.is_finite()) continue;
      const gp::ExactPosterior exact(study.kernel, data, Vector(), study.lambda);
      const double expected = exact.variance(domain.candidates()).variance.maxCoeff();
      // Repeated points collapse in the coordinator: the same matrix up to a rotation.
      EXPECT_NEAR(run.coordinator().summary().epochs().at(0).sigma2_max, expected, 1e-12);
      variances.insert(expected);
    }
  }
  EXPECT_EQ(variances.size(), 4U);
}

// Int and categorical parameters: points are latent, the kernel sees features.
TEST(EdgeCases, MixedParameters) {
  using domain::ParameterType;
  Study study = small_study(Domain::box(
      {{.name = "rate", .low = 1e-4, .high = 1, .log = true},
       {.name = "layers", .type = ParameterType::kInt, .low = 1, .high = 4},
       {.name = "kind", .type = ParameterType::kCategorical, .choices = {"a", "b", "c"}}}));
  for (const Inducing inducing : all_inducing()) {
    study.inducing = inducing;
    FinishedRun run(study);
    // rate, layers and one feature for each kind
    EXPECT_EQ(run.coordinator().view().inducing(EpochId{1}).features.cols(), 5);
    EXPECT_EQ(run.coordinator().summary().recommendation()->point.size(), 3);
  }
}

// Every reward that is usable gives finite numbers, in fixed and learned models alike.
TEST(EdgeCases, HugeRewards) {
  constexpr double kLargest = 0x1.fffffffffffffp127;  // the largest that is usable
  for (const double size : {1e30, kLargest}) {
    for (const Parameters parameters : {Parameters::kFixed, Parameters::kLearned}) {
      for (const UploadRule upload :
           {UploadRule::kAuto, UploadRule::kProjection, UploadRule::kRewards}) {
        if (parameters == Parameters::kLearned && upload != UploadRule::kAuto) continue;
        for (const Domain& domain : {Domain::finite(lattice(30, 2)), Domain::box(2)}) {
          Study study = small_study(domain);
          study.upload = upload;
          study.parameters = parameters;
          study.inducing = Inducing::kPublic;
          study.horizon = 3;  // one cut; the region it leaves has the size of a few numbers
          const auto reward = [size](const Query& q) { return (q.slot % 2 == 0 ? 1 : -1) * size; };
          EXPECT_EQ(error_text([&] { FinishedRun(study, reward); }), "");
        }
      }
    }
  }
}

TEST(EdgeCases, EveryScheduleRuns) {
  for (const ScheduleRule rule : {ScheduleRule::kSqrtFloor, ScheduleRule::kSqrtCeil,
                                  ScheduleRule::kDoubling, ScheduleRule::kPairedDoubling}) {
    Study study = small_study();
    study.schedule = rule;
    study.horizon = 13;
    study.t1 = 1;
    FinishedRun run(study);
    EXPECT_EQ(run.coordinator().summary().epochs().size() + 1, lengths(study).size());
  }
}

}  // namespace
}  // namespace duets::protocol
