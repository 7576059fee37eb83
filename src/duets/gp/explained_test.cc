#include "duets/gp/explained.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <set>

#include "duets/base/error.h"
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
using Indices = std::vector<std::uint32_t>;

// Variances that the chosen rows leave at the data, by a plain factorisation.
Vector residuals(const Kernel& kernel, const Points& candidates, const Indices& chosen,
                 const Points& data) {
  const Points points = numeric::select_rows(candidates, chosen);
  const Matrix k = kernel::gram(kernel, points);
  const Matrix cross = kernel::cross(kernel, points, data);
  const Matrix white = k.llt().matrixL().solve(cross);
  return (kernel.variance - white.colwise().squaredNorm().array()).matrix().transpose();
}

// What becomes of a region late in a study: the data in a corner, candidates everywhere.
Points corner(Eigen::Index n, Eigen::Index d) { return 0.3 * lattice(n, d, 0.1); }

TEST(ExplainingRows, EveryStepTakesTheCandidateThatLeavesLeast) {
  const Points candidates = lattice(25, 2);
  const Points data = corner(60, 2);
  for (const Family family : kFamilies) {
    const Kernel kernel{family, {0.4}, 2.0};
    const Indices chosen = explaining_rows(kernel, candidates, data, 0.01, 6);
    ASSERT_FALSE(chosen.empty());
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      Indices tried(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(k + 1));
      const double reached = residuals(kernel, candidates, tried, data).sum();
      for (std::uint32_t other = 0; other < 25; ++other) {
        if (std::count(tried.begin(), tried.end() - 1, other) > 0) continue;
        tried.back() = other;
        // Rounding of 60 residuals of size 2 through factors with pivots above 1e-10 of it.
        EXPECT_GE(residuals(kernel, candidates, tried, data).sum(), reached - 1e-8);
      }
    }
  }
}

TEST(ExplainingRows, StopsAtTheGainOrTheLimit) {
  const Points candidates = lattice(200, 2);
  const Points data = corner(500, 2);
  const Kernel kernel{Family::kMatern52, {0.5}, 3.0};
  const Indices chosen = explaining_rows(kernel, candidates, data, 0.1, 200);
  ASSERT_GT(chosen.size(), 3U);
  const auto left = [&](const Indices& rows) {
    return residuals(kernel, candidates, rows, data).sum();
  };
  for (std::size_t k = 2; k <= chosen.size(); ++k) {
    const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(k);
    EXPECT_GT(left(Indices(chosen.begin(), end - 1)) - left(Indices(chosen.begin(), end)), 0.1);
  }
  Indices more = chosen;
  more.push_back(0);
  for (more.back() = 0; more.back() < 200; ++more.back()) {
    if (std::count(chosen.begin(), chosen.end(), more.back()) > 0) continue;
    EXPECT_LE(left(chosen) - left(more), 0.1 + 1e-8);
  }
  EXPECT_EQ(explaining_rows(kernel, candidates, data, 0.1, 3),
            Indices(chosen.begin(), chosen.begin() + 3));
  // All are different.
  EXPECT_EQ(std::set(chosen.begin(), chosen.end()).size(), chosen.size());
}

// Pivoted Cholesky spreads over the pool and knows nothing of the data. Where these are in a corner
// this choice sees more of them with as many points.
TEST(ExplainingRows, ExplainsMoreThanPivotsOfTheSameNumber) {
  for (const Family family : kFamilies) {
    for (const Eigen::Index d : {1, 2, 5}) {
      const Points candidates = lattice(200, d);
      const Points data = corner(300, d);
      const Kernel kernel{family, {0.4}, 1.0};
      for (const std::size_t limit : {1U, 3U, 10U, 40U}) {
        // As many, or fewer where no candidate helps any more.
        const Indices chosen = explaining_rows(kernel, candidates, data, 0, limit);
        const Indices pivots = greedy_pivots(kernel, candidates, 0, chosen.size());
        EXPECT_LE(residuals(kernel, candidates, chosen, data).sum(),
                  residuals(kernel, candidates, pivots, data).sum() + 1e-8)
            << static_cast<int>(family) << ", " << d << ", " << limit;
      }
    }
  }
}

// Where the data are spread as the pool is, one step at a time is short-sighted: the first point in
// the middle, where two would be left and right of it. What that costs is bounded as for greedy
// choices of submodular gains: at least 1 - 1/e is explained of what others explain.
TEST(ExplainingRows, ExplainsNotMuchLessThanPivotsOfSpreadData) {
  for (const Family family : kFamilies) {
    for (const Eigen::Index d : {1, 2, 5}) {
      const Points candidates = lattice(200, d);
      const Points data = lattice(300, d, 0.3);
      const Kernel kernel{family, {0.4}, 1.0};
      for (const std::size_t limit : {1U, 3U, 10U, 40U}) {
        const Indices chosen = explaining_rows(kernel, candidates, data, 0, limit);
        const Indices pivots = greedy_pivots(kernel, candidates, 0, chosen.size());
        const double explained = 300 - residuals(kernel, candidates, chosen, data).sum();
        const double by_pivots = 300 - residuals(kernel, candidates, pivots, data).sum();
        EXPECT_GE(explained, (1 - std::exp(-1.0)) * by_pivots);
        if (limit == 1) {
          EXPECT_GE(explained, by_pivots - 1e-8);
        }
      }
    }
  }
}

TEST(ExplainingRows, FewerSufficeThanPivotsWhereTheDataAreInACorner) {
  const Points candidates = lattice(200, 2);
  const Points data = corner(300, 2);
  const Kernel kernel{Family::kSquaredExponential, {0.3}, 1.0};
  const Indices chosen = explaining_rows(kernel, candidates, data, 0.01, 200);
  const double largest = residuals(kernel, candidates, chosen, data).maxCoeff();
  EXPECT_LT(2 * chosen.size(), greedy_pivots(kernel, candidates, largest, 200).size());
}

TEST(ExplainingRows, IdenticalCandidatesAreTakenOnceAndTheFirst) {
  Points candidates(6, 1);
  candidates << 0.9, 0.5, 0.5, 0.1, 0.1, 0.9;
  const Points data = lattice(40, 1);
  const Indices chosen = explaining_rows({Family::kMatern32, {0.3}, 1.0}, candidates, data, 0, 6);
  EXPECT_EQ(chosen.front(), 1U);
  EXPECT_EQ(std::set(chosen.begin(), chosen.end()), (std::set<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(explaining_rows({}, Points::Zero(50, 3), lattice(20, 3), 0, 50), Indices{0});
}

TEST(ExplainingRows, OneCandidateIsTakenWhateverItExplains) {
  EXPECT_EQ(explaining_rows({}, lattice(1, 2), lattice(20, 2), 0, 5), Indices{0});
  // More is asked for than there is, or no data at all.
  EXPECT_EQ(explaining_rows({}, lattice(9, 2), lattice(20, 2), 21.0, 5).size(), 1U);
  EXPECT_EQ(explaining_rows({}, lattice(9, 2), Points(0, 2), 0, 5), Indices{0});
  EXPECT_TRUE(explaining_rows({}, Points(0, 2), lattice(20, 2), 0, 5).empty());
}

// Beyond the reach of the kernel all covariances are exactly 0.
TEST(ExplainingRows, DistantDataTakeOneCandidate) {
  const Points candidates = lattice(30, 2);
  const Points far = (lattice(40, 2).array() + 1000).matrix();
  const Kernel kernel{Family::kSquaredExponential, {0.2}, 1.0};
  EXPECT_EQ(explaining_rows(kernel, candidates, far, 0.1, 30), Indices{0});
}

// Whatever is chosen can be factored: the posterior takes it as it is.
TEST(ExplainingRows, TheChosenRowsArePruned) {
  const Points candidates = lattice(200, 1);
  const Points data = lattice(100, 1, 0.2);
  const Kernel kernel{Family::kSquaredExponential, {0.8}, 5.0};
  const Indices chosen = explaining_rows(kernel, candidates, data, 0, 200);
  EXPECT_LT(chosen.size(), 20U);
  const Points inducing = numeric::select_rows(candidates, chosen);
  EXPECT_NO_THROW(SparsePosterior(kernel, inducing, data, Vector(), 0.1, base::SerialExecutor()));
}

// Scaling by powers of two changes no rounding, so it changes no choice.
TEST(ExplainingRows, DoesNotDependOnTheScaleOfTheKernel) {
  const Points candidates = lattice(100, 3);
  const Points data = corner(200, 3);
  const Indices one =
      explaining_rows({Family::kMatern52, {0.5}, 1.0}, candidates, data, 0x1p-5, 50);
  const Indices tiny =
      explaining_rows({Family::kMatern52, {0.5}, 0x1p-40}, candidates, data, 0x1p-45, 50);
  EXPECT_EQ(one, tiny);
  EXPECT_GT(one.size(), 5U);
}

TEST(ExplainingRows, RefusesWhatDoesNotFit) {
  EXPECT_THROW(explaining_rows({}, lattice(3, 2), lattice(3, 2), 0, 0), base::Error);
  EXPECT_THROW(explaining_rows({}, lattice(3, 2), lattice(3, 1), 0, 1), base::Error);
}

}  // namespace
}  // namespace duets::gp
