#include "duets/protocol/epoch_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "duets/gp/confidence.h"
#include "duets/gp/sparse.h"
#include "duets/numeric/rows.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using numeric::Points;
using numeric::Vector;

const base::SerialExecutor kSerial;

// p = min(1, p0 sigma2_max), the points whose coins fall below it, pruned.
TEST(ChooseInducing, CoinsBelowP) {
  for (const double p0 : {0.3, 2.0, 1e9}) {
    Study study = small_study();
    study.p0 = p0;
    study.t1 = 4;
    TestRun run(study);
    const auto opened = std::get<EpochOpened>(run.records().at(0));
    EXPECT_EQ(opened.report.p_unclipped, p0 * opened.report.sigma2_max_open);
    EXPECT_EQ(opened.report.p, std::min(1.0, opened.report.p_unclipped));
    const auto secret = random::StudySecret::from_seed(7);
    std::uint64_t below = 0;
    for (std::uint32_t a = 0; a < study.agents; ++a) {
      for (std::uint32_t slot = 0; slot < 4; ++slot) {
        double u = 0;
        secret.agent_coin(AgentId{a})
            .uniforms({.purpose = random::Purpose::kInducing, .epoch = 1, .slot = slot},
                      std::span(&u, 1));
        if (u < opened.report.p) ++below;
      }
    }
    EXPECT_EQ(opened.report.num_selected, std::max<std::uint64_t>(1, below));
    EXPECT_LE(opened.report.num_inducing, opened.report.num_selected);
    EXPECT_EQ(static_cast<std::uint64_t>(opened.inducing.points.rows()),
              opened.report.num_inducing);
  }
}

// rate = "count": p = p0 ln(m)/m with m = N T_j, whatever the variance.
TEST(ChooseInducing, RateByCount) {
  Study study = small_study();
  study.p0 = 2;
  study.rate = CoinRate::kCount;
  study.t1 = 4;
  TestRun run(study);
  const auto opened = std::get<EpochOpened>(run.records().at(0));
  const double m = 4.0 * study.agents;
  EXPECT_DOUBLE_EQ(opened.report.p_unclipped, 2 * std::log(m) / m);
  EXPECT_NE(opened.report.p_unclipped, 2 * opened.report.sigma2_max_open);
}

// No coin falls below p: the point with the smallest coin stands in.
TEST(ChooseInducing, NeverEmpty) {
  Study study = small_study();
  study.p0 = 1e-9;
  TestRun run(study);
  const auto opened = std::get<EpochOpened>(run.records().at(0));
  ASSERT_EQ(opened.report.num_selected, 1U);
  const auto secret = random::StudySecret::from_seed(7);
  double smallest = 2;
  Vector expected;
  for (std::uint32_t a = 0; a < study.agents; ++a) {
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
      double u = 0;
      secret.agent_coin(AgentId{a})
          .uniforms({.purpose = random::Purpose::kInducing, .epoch = 1, .slot = slot},
                    std::span(&u, 1));
      if (u >= smallest) continue;
      smallest = u;
      expected = run.agent(a).plan().latents().row(slot).transpose();
    }
  }
  EXPECT_EQ(opened.inducing.points.row(0).transpose(), expected);
}

TEST(ChooseInducing, GreedyLeavesATenthOfTheVariance) {
  Study study = small_study(Domain::box(2));
  study.inducing = Inducing::kGreedy;
  study.t1 = 8;
  TestRun run(study);
  const auto opened = std::get<EpochOpened>(run.records().at(0));
  // Residual of every point of D_1 given S_1: the exact variance at lambda -> 0.
  const gp::ExactPosterior given(study.kernel, opened.inducing.points, Vector(), 1e-13);
  for (std::uint32_t a = 0; a < study.agents; ++a) {
    const Vector left = given.variance(run.agent(a).plan().latents()).variance;
    EXPECT_LE(left.maxCoeff(), 0.1 * opened.report.sigma2_max_open + 1e-9);
  }
}

TEST(ChooseInducing, PublicSetsTravelAsIndices) {
  for (const Domain& domain : {Domain::finite(lattice(40, 2)), Domain::box(2)}) {
    Study study = small_study(domain);
    study.inducing = Inducing::kPublic;
    TestRun run(study);
    run.finish();
    std::size_t sets = 0;
    for (const Record& record : run.records()) {
      const auto* opened = std::get_if<EpochOpened>(&record);
      if (opened == nullptr || !opened->has_inducing) continue;
      ++sets;
      EXPECT_EQ(opened->inducing.points.size(), 0);
      EXPECT_EQ(num_reals(opened->inducing), opened->report.num_inducing);
      const auto& view = run.coordinator().view();
      const Points pool = view.public_points(opened->epoch, kPublicPool).latents;
      EXPECT_EQ(view.inducing(opened->epoch).latents,
                numeric::select_rows(pool, opened->inducing.public_slots));
    }
    EXPECT_EQ(sets, 2U);  // of three epochs, the last sends nothing
  }
}

TEST(ChooseCut, TheoryUsesTheSparseWidth) {
  Study study = small_study();
  study.mode = Mode::kTheory;
  study.norm_bound = 0.5;
  study.subgaussian = 0.01;
  TestRun run(study);
  run.run_epoch();
  const EpochReport& report = run.coordinator().summary().epochs().at(0);
  EXPECT_EQ(report.width, gp::sparse_beta(theory_inputs(study)));
  EXPECT_EQ(report.p_unclipped,
            gp::theory_p0(theory_inputs(study)) * (report.sigma2_max_open / study.lambda));
  EXPECT_EQ(report.tau, report.max_mean - 2 * report.width * report.max_stddev);
}

// The theorem is about the deviation that S_j leaves, max s~, not about that of all data. The two
// differ only where coins leave candidates out of S_j, which needs p < 1, and p is at least
// 72 ln(..) / (agents length): a thousand candidates that are nearly the same point, four queries
// each. A rough kernel keeps those left out from being known through their neighbours.
TEST(ChooseCut, TheoryUsesTheDeviationOfTheSparsePosterior) {
  Points candidates(1000, 1);
  for (Eigen::Index i = 0; i < 1000; ++i) candidates(i, 0) = 0.001 * static_cast<double>(i);
  Study study = small_study(Domain::finite(candidates));
  study.kernel = {kernel::Family::kMatern12, {4000}, 1};
  study.lambda = 1;
  study.mode = Mode::kTheory;
  study.norm_bound = 0.5;
  study.subgaussian = 0.01;
  study.delta = 0.9;
  study.agents = 40;
  study.horizon = 101;
  study.schedule = ScheduleRule::kExplicit;
  study.epochs = {100, 1};
  TestRun run(study);
  Points data(4000, 1);
  for (std::uint32_t a = 0; a < 40; ++a) {
    data.middleRows(100 * a, 100) = run.agent(a).plan().latents();
  }
  const Points inducing = run.coordinator().view().inducing(EpochId{1}).features;
  run.run_epoch();
  const EpochReport& report = run.coordinator().summary().epochs().at(0);
  ASSERT_LT(report.p, 1);
  const gp::SparsePosterior posterior(study.kernel, inducing, data, Vector(), study.lambda,
                                      kSerial);
  const double expected = std::sqrt(posterior.variance(candidates).variance.maxCoeff());
  // The data in another order: 4000 terms, and the smallest eigenvalue of the ridge is lambda = 1.
  EXPECT_NEAR(report.max_stddev, expected, 1e-11 * expected);
  // The deviation of all data is another number, by a thousand times that tolerance.
  EXPECT_GT(std::abs(std::sqrt(report.sigma2_max) - expected), 1e-8 * expected);
  EXPECT_EQ(report.tau, report.max_mean - 2 * report.width * report.max_stddev);
}

// The threshold is taken from a point of the region, so that point is always kept.
TEST(ChooseCut, TheBestPointSurvives) {
  for (const Domain& domain :
       {Domain::finite(lattice(40, 2)), Domain::box(2), Domain::ball(3, 1.0)}) {
    TestRun run(small_study(domain));
    run.run_epoch();
    const EpochReport& report = run.coordinator().summary().epochs().at(0);
    const Points best = report.best_point.transpose();
    EXPECT_EQ(run.coordinator().view().region(EpochId{2}).contains(best).inside[0], 1);
    EXPECT_GE(report.cut_acceptance, 0);
    EXPECT_LE(report.cut_acceptance, 1);
  }
}

}  // namespace
}  // namespace duets::protocol
