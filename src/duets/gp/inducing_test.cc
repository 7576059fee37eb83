// Choosing inducing points, and projecting data on them.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "duets/gp/lattice_test_support.h"
#include "duets/gp/sparse.h"
#include "duets/numeric/rows.h"

namespace duets::gp {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

// Variance left at the candidates when the chosen points are known almost without noise.
double largest_residual(const Kernel& kernel, const Points& candidates,
                        const std::vector<std::uint32_t>& chosen) {
  const Points inducing = numeric::select_rows(candidates, chosen);
  const SparsePosterior seen(kernel, inducing, inducing, Vector(), 1e-14 * kernel.variance,
                             base::SerialExecutor());
  return seen.variance(candidates).variance.maxCoeff();
}

// The order of additions is part of the protocol: the order of D, starting from zero.
TEST(Project, AddsInTheOrderOfTheData) {
  const Kernel kernel{Family::kMatern52, {0.3}, 1.0};
  const Points data = lattice(77, 3);
  const Vector rewards = (7 * data.rowwise().sum().array()).sin();
  const Points inducing = lattice(35, 3, 0.2);
  const Matrix k = kernel::cross(kernel, inducing, data);
  const Vector u = project(kernel, inducing, data, rewards);
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    double sum = 0;
    for (Eigen::Index j = 0; j < data.rows(); ++j) sum = sum + k(i, j) * rewards[j];
    EXPECT_EQ(u[i], sum);
  }
  EXPECT_EQ(project(kernel, inducing, Points(0, 3), Vector()), Vector::Zero(35));
}

TEST(PruneToPivots, DropsDuplicatesAndKeepsTheFirstOfThem) {
  Points candidates(6, 1);
  candidates << 0.5, 0.1, 0.5, 0.9, 0.1, 0.5;
  const auto kept = prune_to_pivots({Family::kMatern12, {0.2}, 2.0}, candidates);
  EXPECT_EQ(std::set(kept.begin(), kept.end()), (std::set<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(kept.front(), 0U);
  EXPECT_EQ(prune_to_pivots({}, Points::Zero(1000, 4)), (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(prune_to_pivots({}, Points(0, 3)).empty());
}

// What is left out has no more than the tolerance of its variance left given what is kept, and what
// is kept can be factored without help.
TEST(PruneToPivots, LeavesOutOnlyWhatAddsNothing) {
  const Points candidates = lattice(300, 2);
  for (const double variance : {1.0, 1e-6, 1e6}) {
    const Kernel kernel{Family::kSquaredExponential, {0.5}, variance};
    const auto kept = prune_to_pivots(kernel, candidates);
    EXPECT_LT(kept.size(), 150U);
    // Noise of 1e-14 on each of the chosen points adds its share, far below the tolerance.
    EXPECT_LE(largest_residual(kernel, candidates, kept), 2 * kPruneTolerance * variance);
  }
}

// The scale of the kernel does not change the choice: thresholds are relative.
TEST(PruneToPivots, DoesNotDependOnTheScaleOfTheKernel) {
  const Points candidates = lattice(200, 2);
  const auto one = prune_to_pivots({Family::kSquaredExponential, {0.5}, 1.0}, candidates);
  const auto tiny = prune_to_pivots({Family::kSquaredExponential, {0.5}, 0x1p-40}, candidates);
  EXPECT_EQ(one, tiny);
}

TEST(GreedyPivots, StopsAtTheResidualOrTheLimit) {
  const Points candidates = lattice(200, 2);
  const Kernel kernel{Family::kMatern32, {0.4}, 2.0};
  const auto chosen = greedy_pivots(kernel, candidates, 0.1, 200);
  EXPECT_LE(largest_residual(kernel, candidates, chosen), 0.1 + 1e-12);
  const std::vector<std::uint32_t> all_but_one(chosen.begin(), chosen.end() - 1);
  EXPECT_GT(largest_residual(kernel, candidates, all_but_one), 0.1);
  EXPECT_EQ(greedy_pivots(kernel, candidates, 0, 7).size(), 7U);
  EXPECT_EQ(greedy_pivots(kernel, candidates, 2.0, 7), (std::vector<std::uint32_t>{0}));
  // A limited choice is the beginning of an unlimited one.
  EXPECT_EQ(greedy_pivots(kernel, candidates, 0.1, 5),
            std::vector<std::uint32_t>(chosen.begin(), chosen.begin() + 5));
}

}  // namespace
}  // namespace duets::gp
