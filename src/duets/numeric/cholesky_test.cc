#include "duets/numeric/cholesky.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "duets/base/error.h"

namespace duets::numeric {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// A fixed, dull sequence in (-1, 1): the tests need some numbers, not random ones.
Matrix some_matrix(Eigen::Index rows, Eigen::Index cols) {
  Matrix a(rows, cols);
  double phase = 0;
  for (Eigen::Index j = 0; j < cols; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      phase += 0.6180339887498949;
      phase -= std::floor(phase);
      a(i, j) = 2 * phase - 1 + 0.3 * std::sin(static_cast<double>(7 * i + 3 * j));
    }
  }
  return a;
}

PivotedCholesky pivot(const Matrix& a, double tolerance, std::size_t max_rank) {
  return pivoted_cholesky(
      a.diagonal(), [&](std::uint32_t i) -> Vector { return a.col(i); }, tolerance, max_rank);
}

void expect_invalid(const std::function<void()>& call) {
  try {
    call();
    FAIL() << "accepted";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid) << error.what();
  }
}

// Backward error of Cholesky: |A - L L^T| <= n eps |L| |L^T|, and |L||L^T| <= max diagonal.
TEST(Cholesky, ReproducesTheMatrixWithinTheBackwardErrorBound) {
  for (const Eigen::Index n : {1, 2, 7, 33, 150}) {
    const Matrix b = some_matrix(n, n + 5);
    const Matrix a = b * b.transpose() + Matrix::Identity(n, n);
    const CholeskyResult result = cholesky(a);
    ASSERT_TRUE(result.ok);
    EXPECT_EQ(result.jitter, 0);
    const double bound = static_cast<double>(n + 1) * kEpsilon * a.diagonal().maxCoeff();
    EXPECT_LE((result.lower * result.lower.transpose() - a).cwiseAbs().maxCoeff(), bound);
    for (Eigen::Index j = 1; j < n; ++j) EXPECT_EQ(result.lower.col(j).head(j).norm(), 0);
  }
}

// 4 = 2^2 and [4 2; 2 5] = [2 0; 1 2][2 1; 0 2] are exact in binary64.
TEST(Cholesky, IsExactWhereTheArithmeticIs) {
  EXPECT_EQ(cholesky(Matrix::Constant(1, 1, 4)).lower, Matrix::Constant(1, 1, 2));
  const Matrix a{{4, 2}, {2, 5}};
  const Matrix lower{{2, 0}, {1, 2}};
  EXPECT_EQ(cholesky(a).lower, lower);
}

TEST(Cholesky, ReadsOnlyTheLowerTriangle) {
  const Matrix a{{4, kNotANumber}, {2, 5}};
  EXPECT_TRUE(cholesky(a).ok);
}

TEST(Cholesky, ReportsTheJitterASingularMatrixNeeded) {
  const Matrix ones = Matrix::Constant(6, 6, 3.0);
  const CholeskyResult result = cholesky(ones);
  ASSERT_TRUE(result.ok);
  EXPECT_GT(result.jitter, 0);
  EXPECT_LE(result.jitter, 1e-14 * 3.0);
  EXPECT_LE((result.lower * result.lower.transpose() - ones).cwiseAbs().maxCoeff(),
            result.jitter + 8 * kEpsilon * 3.0);
}

TEST(Cholesky, FailsInsteadOfReturningNan) {
  const Matrix indefinite{{1, 2}, {2, 1}};
  Matrix broken = Matrix::Identity(40, 40);
  broken(39, 0) = kNotANumber;
  Matrix infinite = Matrix::Identity(2, 2);
  infinite(1, 1) = std::numeric_limits<double>::infinity();
  // Squaring 1e200 overflows inside the factorisation although every entry is finite.
  Matrix overflow = Matrix::Identity(40, 40) * 1e-200;
  overflow(39, 0) = 1e200;
  for (const Matrix& a : {indefinite, broken, infinite, overflow, Matrix(Matrix::Zero(3, 3)),
                          Matrix(-Matrix::Identity(2, 2))}) {
    const CholeskyResult result = cholesky(a);
    EXPECT_FALSE(result.ok) << a;
    EXPECT_EQ(result.lower.size(), 0);
  }
}

// Near the end of the range: nothing may overflow that fits, and what does must not pass as a
// factor.
TEST(Cholesky, HandlesTheEndOfTheRange) {
  const double largest = std::numeric_limits<double>::max();
  const CholeskyResult diagonal = cholesky(Matrix::Identity(3, 3) * largest);
  ASSERT_TRUE(diagonal.ok);
  EXPECT_EQ(diagonal.lower.diagonal(), Vector::Constant(3, std::sqrt(largest)));
  // Singular, and the jitter that it needs does not fit.
  EXPECT_FALSE(cholesky(Matrix::Constant(2, 2, largest)).ok);
}

TEST(Cholesky, AcceptsAnEmptyMatrixAndRefusesOneThatIsNotSquare) {
  EXPECT_TRUE(cholesky(Matrix(0, 0)).ok);
  expect_invalid([] { cholesky(Matrix::Zero(2, 3)); });
}

TEST(PivotedCholesky, StopsAtTheRankAndReproducesTheMatrix) {
  const Matrix b = some_matrix(60, 9);
  const Matrix a = b * b.transpose();
  const PivotedCholesky result = pivot(a, 1e-12, 60);
  EXPECT_EQ(result.pivots.size(), 9U);
  EXPECT_EQ(result.factor.rows(), 60);
  EXPECT_EQ(result.factor.cols(), 9);
  EXPECT_LE((result.factor * result.factor.transpose() - a).cwiseAbs().maxCoeff(),
            100 * kEpsilon * a.diagonal().maxCoeff());
  EXPECT_EQ(std::set(result.pivots.begin(), result.pivots.end()).size(), 9U);
}

TEST(PivotedCholesky, LeavesNoResidualAboveTheToleranceAndPivotsLargestFirst) {
  const Matrix b = some_matrix(40, 40);
  const Matrix a = b * b.transpose();
  const PivotedCholesky full = pivot(a, 0, 40);
  double before = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < full.pivots.size(); ++k) {
    const auto column = static_cast<Eigen::Index>(k);
    const double taken = full.factor(full.pivots[k], column);
    EXPECT_LE(taken, before);  // residuals only fall, so the largest of them does
    before = taken;
    EXPECT_EQ(full.factor.row(full.pivots[k]).tail(full.factor.cols() - column - 1).norm(), 0);
  }
  const double tolerance = 0.5;
  const PivotedCholesky some = pivot(a, tolerance, 40);
  const Vector left = (a - some.factor * some.factor.transpose()).diagonal();
  EXPECT_LT(some.pivots.size(), full.pivots.size());
  EXPECT_LE(some.residual.maxCoeff(), tolerance);
  EXPECT_LE((left - some.residual).cwiseAbs().maxCoeff(), 100 * kEpsilon * a.diagonal().maxCoeff());
}

// A residual that equals the tolerance is small enough: "until it is <= tolerance".
TEST(PivotedCholesky, StopsAtAResidualEqualToTheTolerance) {
  const Matrix a = Vector(Vector::LinSpaced(3, 1, 3)).asDiagonal();
  EXPECT_EQ(pivot(a, 2, 3).pivots, (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(pivot(a, 1.5, 3).pivots, (std::vector<std::uint32_t>{2, 1}));
}

TEST(PivotedCholesky, AsksForAsManyColumnsAsPivots) {
  const Matrix b = some_matrix(30, 4);
  const Matrix a = b * b.transpose();
  std::vector<std::uint32_t> asked;
  const auto column = [&](std::uint32_t i) -> Vector {
    asked.push_back(i);
    return a.col(i);
  };
  const PivotedCholesky result = pivoted_cholesky(a.diagonal(), column, 1e-12, 30);
  EXPECT_EQ(asked, result.pivots);
}

TEST(PivotedCholesky, TiesGoToTheLowestIndex) {
  EXPECT_EQ(pivot(Matrix::Identity(5, 5), 0, 3).pivots, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(PivotedCholesky, TakesADuplicateOnceEvenAtToleranceZero) {
  Matrix points(4, 3);
  points << 1, 0.5, 0.25, 0.3, -1, 0.7, 1, 0.5, 0.25, 0.3, -1, 0.7;
  const Matrix a = points * points.transpose();
  const PivotedCholesky result = pivot(a, 0, 4);
  ASSERT_EQ(result.pivots.size(), 2U);
  EXPECT_LT(result.pivots[0], 2U);
  EXPECT_LT(result.pivots[1], 2U);
}

TEST(PivotedCholesky, SmallCases) {
  EXPECT_EQ(pivot(Matrix(0, 0), 0, 5).pivots.size(), 0U);
  const PivotedCholesky zero = pivot(Matrix::Zero(3, 3), 0, 3);
  EXPECT_EQ(zero.pivots.size(), 0U);
  EXPECT_EQ(zero.factor.rows(), 3);
  const PivotedCholesky one = pivot(Matrix::Constant(1, 1, 9), 0, 1);
  EXPECT_EQ(one.factor(0, 0), 3);
  EXPECT_EQ(one.residual[0], 0);
  EXPECT_EQ(pivot(Matrix::Identity(4, 4), 0, 0).pivots.size(), 0U);
}

TEST(PivotedCholesky, RefusesNumbersThatAreNotFinite) {
  const Matrix identity = Matrix::Identity(2, 2);
  expect_invalid([&] { pivot(identity * kNotANumber, 0, 2); });
  expect_invalid([&] { pivot(identity, kNotANumber, 2); });
  expect_invalid([&] { pivot(identity, -1, 2); });
  const auto broken = [](std::uint32_t) -> Vector { return Vector::Constant(2, kNotANumber); };
  expect_invalid([&] { pivoted_cholesky(identity.diagonal(), broken, 0, 2); });
  const auto shorter = [](std::uint32_t) -> Vector { return Vector::Ones(1); };
  expect_invalid([&] { pivoted_cholesky(identity.diagonal(), shorter, 0, 2); });
}

}  // namespace
}  // namespace duets::numeric
