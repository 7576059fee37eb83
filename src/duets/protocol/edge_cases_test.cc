// Studies at the edge of what is allowed: they end, and every number they give is finite.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using numeric::Points;

void expect_finite(const EpochReport& report) {
  for (const double number :
       {report.region_fraction, report.cut_acceptance, report.sigma2_max_open, report.sigma2_max,
        report.p_unclipped, report.p, report.information_gain, report.width, report.max_stddev,
        report.max_mean, report.tau, report.best_stddev, report.mean_error}) {
    EXPECT_TRUE(std::isfinite(number));
  }
  EXPECT_TRUE(report.best_point.allFinite());
  EXPECT_GE(report.sigma2_max, 0);
  EXPECT_GE(report.num_inducing, 1U);
}

TestRun finished(const Study& study, const RewardFunction& reward = wavy_reward) {
  TestRun run(study, reward);
  run.finish();
  for (const EpochReport& report : run.coordinator().reports()) expect_finite(report);
  return run;
}

std::vector<Inducing> all_inducing() {
  return {Inducing::kCoin, Inducing::kGreedy, Inducing::kPublic};
}

TEST(EdgeCases, OneAgent) {
  for (const Domain& domain : {Domain::finite(lattice(9, 2)), Domain::box(2)}) {
    Study study = small_study(domain);
    study.agents = 1;
    TestRun run = finished(study);
    EXPECT_EQ(run.coordinator().reports().size(), 2U);
    EXPECT_TRUE(run.coordinator().recommendation().exists);
  }
}

TEST(EdgeCases, TwoAgents) {
  Study study = small_study(Domain::ball(2, 3.0));
  study.agents = 2;
  EXPECT_EQ(finished(study).coordinator().reports().size(), 2U);
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
    EXPECT_TRUE(run.coordinator().reports().empty());
    EXPECT_FALSE(run.coordinator().recommendation().exists);
    EXPECT_TRUE(run.coordinator().best_trial());
    EXPECT_NE(run.coordinator().run_digest(), base::Digest{});
  }
}

TEST(EdgeCases, OneEpochWithAClosingProjectionRecommends) {
  Study study = small_study();
  study.horizon = 1;
  study.closing = ClosingRule::kProjection;
  TestRun run = finished(study);
  ASSERT_EQ(run.coordinator().reports().size(), 1U);
  EXPECT_EQ(run.coordinator().recommendation().epoch, EpochId{1});
}

TEST(EdgeCases, OneCandidate) {
  for (const Inducing inducing : all_inducing()) {
    Study study = small_study(Domain::finite(lattice(1, 2)));
    study.inducing = inducing;
    TestRun run = finished(study);
    for (const EpochReport& report : run.coordinator().reports()) {
      EXPECT_EQ(report.num_inducing, 1U);
      EXPECT_EQ(report.survivors, 1U);
      EXPECT_EQ(report.num_distinct, 1U);
    }
  }
}

// Candidates that coincide are told apart by index only: one inducing point serves all, and they
// survive or go together.
TEST(EdgeCases, DuplicateCandidates) {
  for (const Inducing inducing : all_inducing()) {
    Study study = small_study(Domain::finite(lattice(1, 2).replicate(5, 1)));
    study.inducing = inducing;
    TestRun run = finished(study);
    for (const EpochReport& report : run.coordinator().reports()) {
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
  TestRun run = finished(study, [](const Query& q) { return 1 + q.latent[0]; });
  const auto& survivors = run.coordinator().view().region(EpochId{2}).survivors();
  ASSERT_EQ(survivors.size(), 2U);
  EXPECT_EQ(survivors[1], survivors[0] + 6);
  EXPECT_EQ(run.coordinator().reports()[0].tau, run.coordinator().reports()[0].max_mean);
}

TEST(EdgeCases, ZeroRewardsTrimNothing) {
  for (const Domain& domain : {Domain::finite(lattice(30, 2)), Domain::box(2)}) {
    TestRun run = finished(small_study(domain), [](const Query&) { return 0.0; });
    for (const EpochReport& report : run.coordinator().reports()) {
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
      finished(study);
    }
  }
}

TEST(EdgeCases, HugeLambdaAndVariance) {
  Study study = small_study();
  study.lambda = 1e12;
  finished(study);
  study.lambda = 1e-3;
  study.kernel.variance = 1e12;
  finished(study);
}

TEST(EdgeCases, OneDimension) {
  for (const Domain& domain : {Domain::box(1), Domain::ball(1, 1.0)}) {
    for (const Inducing inducing : all_inducing()) {
      Study study = small_study(domain);
      study.inducing = inducing;
      finished(study);
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
      EXPECT_EQ(finished(study).coordinator().reports().size(), 1U);
    }
  }
}

TEST(EdgeCases, EveryKernelFamily) {
  using kernel::Family;
  for (const Family family :
       {Family::kSquaredExponential, Family::kMatern12, Family::kMatern32, Family::kMatern52}) {
    Study study = small_study(Domain::box(2));
    study.kernel = {family, {0.2, 0.5}, 1.5};
    finished(study);
  }
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
    finished(study);
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
          EXPECT_EQ(error_text([&] { finished(study, reward); }), "");
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
    TestRun run = finished(study);
    EXPECT_EQ(run.coordinator().reports().size() + 1, lengths(study).size());
  }
}

}  // namespace
}  // namespace duets::protocol
