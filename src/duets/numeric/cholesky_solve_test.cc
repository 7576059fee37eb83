#include "duets/numeric/cholesky_solve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace duets::numeric {
namespace {

// A factor with rows of length 1, as that of a kernel matrix, and a diagonal down to `least`.
Matrix factor(Eigen::Index s, double least) {
  Matrix lower = Matrix::Zero(s, s);
  for (Eigen::Index i = 0; i < s; ++i) {
    const double diagonal = i == 0 ? 1.0 : std::max(least, 1.0 / static_cast<double>(i));
    for (Eigen::Index j = 0; j < i; ++j) lower(i, j) = std::sin(static_cast<double>(3 * i + 7 * j));
    if (i > 0) lower.row(i).head(i) *= std::sqrt(1 - diagonal * diagonal) / lower.row(i).norm();
    lower(i, i) = diagonal;
  }
  return lower;
}

Matrix vectors(Eigen::Index n, Eigen::Index s) {
  Matrix rows(n, s);
  for (Eigen::Index i = 0; i < rows.size(); ++i) {
    rows.data()[i] = std::cos(static_cast<double>(i * i % 9973));
  }
  return rows;
}

// Substitution is backward stable: each row solves a system whose factor is off by s epsilon at
// most, in every entry. Sizes around every border: lanes, groups of packs, halves.
TEST(SolveRows, SolvesANearbySystem) {
  for (const Eigen::Index s : {1, 2, 31, 32, 33, 64, 65, 100, 129, 300}) {
    const Matrix lower = factor(s, 1e-4);
    for (const Eigen::Index n : {0, 1, 3, 8, 63, 64, 65, 128, 200}) {
      const Matrix wanted = vectors(n, s);
      Matrix solved = wanted;
      solve_rows(lower, solved);
      const Matrix residual = (solved * lower.transpose() - wanted).cwiseAbs();
      const Matrix scale = solved.cwiseAbs() * lower.cwiseAbs().transpose();
      const double bound = 2 * static_cast<double>(s + 2) * std::numeric_limits<double>::epsilon();
      EXPECT_TRUE((residual.array() <= bound * scale.array()).all()) << s << " " << n;
    }
  }
}

TEST(SolveRows, ReadsTheLowerTriangleOnly) {
  const Matrix lower = factor(70, 1e-3);
  Matrix noisy = lower;
  noisy.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  Matrix a = vectors(20, 70);
  Matrix b = a;
  solve_rows(lower, a);
  solve_rows(noisy, b);
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace duets::numeric
