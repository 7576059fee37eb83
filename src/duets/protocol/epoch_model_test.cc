#include "duets/protocol/epoch_model.h"

#include <gtest/gtest.h>

#include "duets/gp/confidence.h"
#include "duets/numeric/rows.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using numeric::Points;
using numeric::Vector;

const base::SerialExecutor kSerial;

Selection rows(const Points& candidates, const std::vector<std::uint32_t>& indices) {
  return {numeric::select_rows(candidates, indices), indices,
          Vector::Zero(static_cast<Eigen::Index>(indices.size()))};
}

TEST(Collect, FiniteSetsCollapseRepeatedPoints) {
  const Domain domain = Domain::finite(lattice(5, 2));
  const Dataset data =
      collect(domain, {rows(domain.candidates(), {3, 1, 3}), rows(domain.candidates(), {3, 4})});
  EXPECT_EQ(data.num_points, 5U);
  EXPECT_EQ(data.features, numeric::select_rows(domain.candidates(), {1, 3, 4}));
  EXPECT_EQ(data.counts, (Vector{{1.0, 3.0, 1.0}}));
}

TEST(Collect, ContinuousDomainsKeepRowsInAgentOrder) {
  const Domain domain = Domain::box(2);
  const Points points = lattice(4, 2);
  const Dataset data = collect(domain, {{points.topRows(1), {}, Vector::Zero(1)},
                                        {points.bottomRows(3), {}, Vector::Zero(3)}});
  EXPECT_EQ(data.num_points, 4U);
  EXPECT_EQ(data.features, points);
  EXPECT_EQ(data.counts, Vector::Ones(4));
}

TEST(VarianceModel, NoDataIsThePrior) {
  kernel::Kernel kernel;
  kernel.variance = 2.5;
  const VarianceModel model(kernel, {Points(0, 2), Vector(), 0}, 0.2, 1e-3, kSerial);
  std::uint64_t num_clamped = 0;
  EXPECT_EQ(model(lattice(3, 2), num_clamped), Vector::Constant(3, 2.5));
  EXPECT_EQ(model.path(), VariancePath::kExact);
}

// 21 points, each a hundred times, not collapsed: beyond the dense limit, so pivots are used, and
// the answer must be that of the exact posterior with counts.
TEST(VarianceModel, LowRankAgreesWithExactOnRepeatedPoints) {
  kernel::Kernel kernel;
  kernel.lengthscales = {0.3};
  const Points distinct = lattice(21, 2);
  Dataset data{Points(2100, 2), Vector::Ones(2100), 2100};
  for (Eigen::Index i = 0; i < 2100; ++i) data.features.row(i) = distinct.row(i % 21);
  ASSERT_GT(data.features.rows(), kDenseLimit);
  const VarianceModel model(kernel, data, 0.2, 1e-10, kSerial);
  EXPECT_EQ(model.path(), VariancePath::kLowRank);
  EXPECT_LE(model.rank(), 21U);
  EXPECT_LE(model.residual(), 1e-10);
  const gp::ExactPosterior exact(kernel, distinct, Vector::Constant(21, 100), 0.2);
  std::uint64_t num_clamped = 0;
  const Points x = lattice(50, 2);
  const Vector difference = model(x, num_clamped) - exact.variance(x).variance;
  // What the pivots leave is at most the residual times the squared weights of a prediction.
  EXPECT_LE(difference.lpNorm<Eigen::Infinity>(), 1e-7);
}

// A variance far below what pivots can resolve: the search for finer pivots has to end.
TEST(VarianceSupremum, EndsForATinyLambda) {
  Study study = small_study(Domain::box(1));
  study.lambda = 1e-14;
  const Dataset data{lattice(2500, 1), Vector::Ones(2500), 2500};
  EpochReport report;
  const double sup = variance_supremum(study, study.kernel, data, region::Region(study.domain),
                                       lattice(64, 1), kSerial, report);
  EXPECT_GE(sup, 0);
  EXPECT_LE(sup, 1e-8);
  EXPECT_EQ(report.variance_path, VariancePath::kLowRank);
}

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
      expected = run.agent(a).plan().latents.row(slot).transpose();
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
    const Vector left = given.variance(run.agent(a).plan().latents).variance;
    EXPECT_LE(left.maxCoeff(), 0.1 * opened.report.sigma2_max_open + 1e-9);
  }
}

TEST(ChooseInducing, PublicSetsTravelAsIndices) {
  for (const Domain& domain : {Domain::finite(lattice(40, 2)), Domain::box(2)}) {
    Study study = small_study(domain);
    study.inducing = Inducing::kPublic;
    TestRun run(study);
    run.finish();
    for (const Record& record : run.records()) {
      const auto* opened = std::get_if<EpochOpened>(&record);
      if (opened == nullptr || !opened->has_inducing) continue;
      EXPECT_EQ(opened->inducing.points.size(), 0);
      EXPECT_EQ(num_reals(opened->inducing), opened->report.num_inducing);
      const auto& view = run.coordinator().view();
      const Points pool = view.public_points(opened->epoch, kPublicPool).latents;
      EXPECT_EQ(view.inducing(opened->epoch).latents,
                numeric::select_rows(pool, opened->inducing.public_slots));
    }
  }
}

TEST(ChooseCut, TheoryUsesTheSparseWidth) {
  Study study = small_study();
  study.mode = Mode::kTheory;
  study.norm_bound = 0.5;
  study.subgaussian = 0.01;
  TestRun run(study);
  run.run_epoch();
  const EpochReport& report = run.coordinator().reports().at(0);
  EXPECT_EQ(report.width, gp::sparse_beta(theory_inputs(study)));
  EXPECT_EQ(report.p_unclipped,
            gp::theory_p0(theory_inputs(study)) * (report.sigma2_max_open / study.lambda));
  EXPECT_EQ(report.tau, report.max_mean - 2 * report.width * report.max_stddev);
}

// The threshold is taken from a point of the region, so that point is always kept.
TEST(ChooseCut, TheBestPointSurvives) {
  for (const Domain& domain :
       {Domain::finite(lattice(40, 2)), Domain::box(2), Domain::ball(3, 1.0)}) {
    TestRun run(small_study(domain));
    run.run_epoch();
    const EpochReport& report = run.coordinator().reports().at(0);
    const Points best = report.best_point.transpose();
    EXPECT_EQ(run.coordinator().view().region(EpochId{2}).contains(best).inside[0], 1);
    EXPECT_GE(report.cut_acceptance, 0);
    EXPECT_LE(report.cut_acceptance, 1);
  }
}

}  // namespace
}  // namespace duets::protocol
