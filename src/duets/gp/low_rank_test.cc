#include "duets/gp/low_rank.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <thread>
#include <vector>

#include "duets/base/rank_test_support.h"
#include "duets/gp/lattice_test_support.h"
#include "duets/numeric/rows.h"

namespace duets::gp {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

const base::SerialExecutor kSerial;

Points same(const Points& rows) { return rows; }

// What the pivots leave of a row, by the defining formula.
double blunt_residual(const Kernel& kernel, const Points& pivots, const Points& rows) {
  const Matrix lower = Eigen::LLT<Matrix>(kernel::gram(kernel, pivots)).matrixL();
  Matrix z = kernel::cross(kernel, pivots, rows);
  lower.triangularView<Eigen::Lower>().solveInPlace(z);
  return kernel.variance - z.colwise().squaredNorm().minCoeff();
}

TEST(PivotSearch, LeavesAtMostTheResidualOnItsRows) {
  const Points rows = lattice(1200, 2);
  for (const Family family : kFamilies) {
    const Kernel kernel{family, {0.4}, 2.0};
    PivotSearch search(kernel, rows, Points());
    for (const double residual : {0.5, 0.1}) {
      search.refine(residual, 1200);
      EXPECT_LE(search.largest_residual(), residual);
      EXPECT_NEAR(blunt_residual(kernel, search.pivots(), rows), search.largest_residual(), 1e-9);
    }
    EXPECT_EQ(search.pivots(), numeric::select_rows(rows, search.chosen()));
    // In blocks it needs few more than one by one: a block looks no further than itself.
    const auto one_by_one = greedy_pivots(kernel, rows, 0.1, 1200);
    EXPECT_LE(search.rank(), one_by_one.size() + one_by_one.size() / 5 + 5);
  }
}

TEST(PivotSearch, ContinuesFromGivenPivots) {
  const Points rows = lattice(2000, 2);
  const Kernel kernel{Family::kMatern52, {0.3}, 1.0};
  PivotSearch coarse(kernel, rows, Points());
  coarse.refine(0.1, 2000);
  PivotSearch fine(kernel, rows, coarse.pivots());
  EXPECT_NEAR(fine.largest_residual(), coarse.largest_residual(), 1e-12);
  fine.refine(0.01, 2000);
  EXPECT_EQ(fine.pivots().topRows(coarse.pivots().rows()), coarse.pivots());
  EXPECT_LE(blunt_residual(kernel, fine.pivots(), rows), 0.01 + 1e-12);
}

TEST(PivotSearch, StopsAtTheRankAndAtRounding) {
  const Kernel kernel{Family::kSquaredExponential, {0.5}, 1.0};
  PivotSearch limited(kernel, lattice(500, 2), Points());
  limited.refine(0, 70);
  EXPECT_EQ(limited.rank(), 70U);
  // Three points, each a hundred times.
  Points repeated(300, 1);
  for (Eigen::Index i = 0; i < 300; ++i) repeated(i, 0) = static_cast<double>(i % 3);
  PivotSearch search(kernel, repeated, Points());
  search.refine(0, 300);
  EXPECT_EQ(search.rank(), 3U);
  // What is below 1e-13 of the prior variance is rounding.
  EXPECT_LE(search.largest_residual(), 1e-13);
}

// 40000 rows of which the sample sees every fifth; one row far away from all others is in none of
// the samples and must be found by the sweep.
TEST(LowRankPosterior, RepresentsARowOutsideTheSample) {
  Points rows = lattice(40000, 2);
  rows.row(12345) << 3.0, 3.0;
  const DataBlocks data = blocks_of(rows);
  const Kernel kernel{Family::kMatern52, {0.4}, 1.0};
  PivotSearch search(kernel, spread_rows(data, kPivotSample, kSerial), Points());
  search.refine(0.01, 1000);
  const LowRank fit =
      low_rank_posterior(kernel, data, search.pivots(), 0.1, 0.01, 1000, 5, kSerial);
  EXPECT_GE(fit.num_sweeps, 2U);
  EXPECT_LE(fit.posterior.largest_residual(), 0.01);
  EXPECT_NEAR(blunt_residual(kernel, fit.pivots, rows), fit.posterior.largest_residual(), 1e-12);
  // Known from one query: k - k^2 / (k + lambda).
  const Vector variance = fit.posterior.variance(rows.row(12345)).variance;
  EXPECT_NEAR(variance[0], 1 - 1 / 1.1, 1e-6);
  const LowRank once =
      low_rank_posterior(kernel, data, search.pivots(), 0.1, 0.01, 1000, 1, kSerial);
  EXPECT_EQ(once.num_sweeps, 1U);
  EXPECT_NEAR(once.posterior.largest_residual(), 1, 1e-3);
}

TEST(GreedyRows, IsTheStrictChoiceForFewRows) {
  const Points rows = lattice(1000, 2);
  const Kernel kernel{Family::kMatern32, {0.4}, 1.0};
  EXPECT_EQ(greedy_rows(kernel, blocks_of(rows), same, 0.05, 500, kSerial),
            numeric::select_rows(rows, greedy_pivots(kernel, rows, 0.05, 500)));
  EXPECT_EQ(greedy_rows(kernel, blocks_of(Points(0, 2)), same, 0.05, 500, kSerial).rows(), 0);
}

// Rows are latents; the kernel sees other numbers.
TEST(GreedyRows, HoldsItsResidualOnAllOfManyRows) {
  Points latents = lattice(30000, 2);
  latents.row(8) << -2.0, 4.0;  // in no sample
  const Kernel kernel{Family::kMatern32, {0.8}, 1.0};
  const auto doubled = [](const Points& rows) -> Points { return 2 * rows; };
  const Points chosen = greedy_rows(kernel, blocks_of(latents), doubled, 0.05, 5000, kSerial);
  EXPECT_LE(blunt_residual(kernel, doubled(chosen), doubled(latents)), 0.05 + 1e-12);
  EXPECT_EQ(greedy_rows(kernel, blocks_of(latents), doubled, 0.05, 20, kSerial).rows(), 20);
}

// The same bits whichever process sweeps which block.
TEST(LowRankPosterior, TheSameInEveryProcess) {
  Points rows = lattice(60000, 2);
  rows.row(54321) << 3.0, 3.0;
  const DataBlocks data = blocks_of(rows);
  ASSERT_EQ(data.num_blocks(), 4U);
  const Kernel kernel{Family::kSquaredExponential, {0.3}, 1.0};
  const Points x = lattice(40, 2, 0.3);
  const auto fit = [&](const base::Executor& executor) -> Vector {
    PivotSearch search(kernel, spread_rows(data, 1000, executor), Points());
    search.refine(1e-3, 300);
    const LowRank found =
        low_rank_posterior(kernel, data, search.pivots(), 0.1, 1e-3, 300, 5, executor);
    EXPECT_GE(found.num_sweeps, 2U);
    return found.posterior.variance(x).variance;
  };
  const Vector alone = fit(kSerial);
  const Points greedy = greedy_rows(kernel, data, same, 0.01, 300, kSerial);
  for (const std::size_t ranks : {2, 3, 5}) {
    base::run_ranks<std::thread>(ranks, [&](const base::RankExecutor& executor) {
      EXPECT_EQ(fit(executor), alone);
      EXPECT_EQ(greedy_rows(kernel, data, same, 0.01, 300, executor), greedy);
    });
  }
}

}  // namespace
}  // namespace duets::gp
