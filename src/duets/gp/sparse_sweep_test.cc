#include "duets/gp/sparse_sweep.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <thread>

#include "duets/base/rank_test_support.h"
#include "duets/gp/lattice_test_support.h"

namespace duets::gp {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

const base::SerialExecutor kSweepSerial;
const Kernel kKernel{Family::kMatern52, {0.3}, 1.5};

// Z C Z^T and the residuals, formed as a whole.
struct Blunt {
  Matrix gram;
  Vector residual;
};
Blunt blunt(const Points& inducing, const Points& data, const Vector& counts) {
  const Matrix lower = Eigen::LLT<Matrix>(kernel::gram(kKernel, inducing)).matrixL();
  Matrix z = kernel::cross(kKernel, inducing, data);
  lower.triangularView<Eigen::Lower>().solveInPlace(z);
  return {z * counts.asDiagonal() * z.transpose(),
          kKernel.variance - z.colwise().squaredNorm().transpose().array()};
}

// Blocks of very different sizes, one of them empty, one with chunks cut short.
DataBlocks uneven(const Points& points, const Vector& counts) {
  DataBlocks data;
  data.rows = {1, 500, 0, 128, 1371};
  data.block = [&](std::size_t i) {
    const Eigen::Index first[] = {0, 1, 501, 501, 629};
    const Eigen::Index rows[] = {1, 500, 0, 128, 1371};
    return DataBlock{points.middleRows(first[i], rows[i]), counts.segment(first[i], rows[i])};
  };
  return data;
}

TEST(Sweep, IsTheGramOfTheWhitenedData) {
  const Points points = lattice(2000, 2);
  const Vector counts = 1 + lattice(2000, 1, 0.3).col(0).array();
  const Points inducing = lattice(50, 2, 0.21);
  const Blunt want = blunt(inducing, points, counts);
  const Sweep got = sweep(whiten(kKernel, inducing), uneven(points, counts), kSweepSerial);
  // Sums of 2000 terms of one sign on the diagonal, in another order.
  const Matrix lower = got.gram.triangularView<Eigen::Lower>();
  const Matrix wanted = want.gram.triangularView<Eigen::Lower>();
  EXPECT_LE((lower - wanted).cwiseAbs().maxCoeff(), 1e-12 * want.gram.diagonal().maxCoeff());
  EXPECT_NEAR(got.residuals.largest, want.residual.maxCoeff(), 1e-12);
  EXPECT_EQ(got.residuals.watched.rows(), 0);
}

TEST(Sweep, ReturnsTheWorstRowsOfEachBlock) {
  const Points points = lattice(2000, 2);
  const Vector counts = Vector::Ones(2000);
  const DataBlocks data = uneven(points, counts);
  const Points inducing = lattice(20, 2, 0.21);
  const Vector residual = blunt(inducing, points, counts).residual;
  const Whitening whitening = whiten(kKernel, inducing);
  const Watch all{0.5 * residual.maxCoeff(), 2000};
  const Residuals seen = sweep(whitening, data, kSweepSerial, all).residuals;
  EXPECT_EQ(seen.watched.rows(), (residual.array() > all.residual).count());
  const auto same = [](const Points& rows) { return rows; };
  EXPECT_EQ(residuals(whitening, data, same, kSweepSerial, all).watched, seen.watched);
  const Residuals few = sweep(whitening, data, kSweepSerial, {all.residual, 3}).residuals;
  EXPECT_LE(few.watched.rows(), 3 * 5);
  EXPECT_EQ(few.largest, seen.largest);
  const Vector left = blunt(inducing, few.watched, Vector::Ones(few.watched.rows())).residual;
  EXPECT_GT(left.minCoeff(), all.residual - 1e-12);
  EXPECT_NEAR(left.maxCoeff(), residual.maxCoeff(), 1e-12);
}

TEST(Sweep, TheSameBitsInEveryProcess) {
  const Points points = lattice(2000, 2);
  const Vector counts = 1 + lattice(2000, 1, 0.3).col(0).array();
  const DataBlocks data = uneven(points, counts);
  const Whitening whitening = whiten(kKernel, lattice(40, 2, 0.21));
  const Sweep alone = sweep(whitening, data, kSweepSerial, {0.3, 4});
  for (const std::size_t ranks : {2, 3, 7}) {
    base::run_ranks<std::thread>(ranks, [&](const base::RankExecutor& executor) {
      const Sweep together = sweep(whitening, data, executor, {0.3, 4});
      EXPECT_EQ(together.gram, alone.gram);
      EXPECT_EQ(together.residuals.largest, alone.residuals.largest);
      EXPECT_EQ(together.residuals.watched, alone.residuals.watched);
    });
  }
}

}  // namespace
}  // namespace duets::gp
