// The bounds hold on every box, and are as small as the inequality allows.
#include "duets/region/sum_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "duets/random/coin.h"

namespace duets::region {
namespace {

using kernel::Family;
using numeric::Points;
using numeric::Vector;

const std::vector<Family> kFamilies = {Family::kSquaredExponential, Family::kMatern12,
                                       Family::kMatern32, Family::kMatern52};
const random::Coin kBoundCoin = random::StudySecret::from_seed(21).public_coin();

// Fixed numbers in [0, 1); number i of a list is the same for every length.
std::vector<double> uniforms(std::uint32_t list, std::size_t count) {
  std::vector<double> all;
  for (std::uint32_t slot = 0; all.size() < count; ++slot) {
    std::vector<double> part(std::min<std::size_t>(1000, count - all.size()));
    kBoundCoin.uniforms({.purpose = random::Purpose::kProblem, .epoch = list, .slot = slot}, part);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Points random_points(std::uint32_t list, Eigen::Index n, Eigen::Index d) {
  const std::vector<double> u = uniforms(list, static_cast<std::size_t>(n * d));
  return Eigen::Map<const Points>(u.data(), n, d);
}

std::shared_ptr<const Cut> random_cut(Family family, Eigen::Index d, std::uint32_t list,
                                      double largest_weight) {
  std::vector<double> scales;
  for (Eigen::Index k = 0; k < d; ++k) scales.push_back(0.2 + 0.15 * static_cast<double>(k));
  Vector weights(25);
  const std::vector<double> u = uniforms(list, 25);
  for (Eigen::Index i = 0; i < 25; ++i) {
    weights[i] = largest_weight * (2 * u[static_cast<std::size_t>(i)] - 1);
  }
  return std::make_shared<const Cut>(kernel::Kernel{family, scales, 1.7}, 0.0,
                                     random_points(list + 1, 25, d), weights, 0.0);
}

// Points of a box: its corners and many inside.
Points points_of_box(const Points& centre, const std::vector<double>& half, std::uint32_t list) {
  const Eigen::Index d = centre.cols();
  const Eigen::Index corners = Eigen::Index{1} << d;
  Points points = random_points(list, corners + 200, d);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (Eigen::Index k = 0; k < d; ++k) {
      const double side = i < corners ? static_cast<double>((i >> k) & 1) : points(i, k);
      points(i, k) = centre(0, k) + half[static_cast<std::size_t>(k)] * (2 * side - 1);
    }
  }
  return points;
}

TEST(SumBound, HoldsOnEveryBox) {
  std::uint32_t list = 0;
  for (const Family family : kFamilies) {
    for (const Eigen::Index d : {1, 2, 3, 4}) {
      for (const double weight : {1.0, 300.0}) {
        const auto cut = random_cut(family, d, list += 10, weight);
        const SumBound bound(cut);
        for (double width = 0.5; width > 1e-7; width *= 0.2) {
          std::vector<double> half;
          for (Eigen::Index k = 0; k < d; ++k)
            half.push_back(width * (1 + 0.3 * k) / (1 + 0.3 * d));
          const Points centres = random_points(++list, 40, d);
          const Vector most = bound.over_boxes(centres, half);
          for (Eigen::Index i = 0; i < centres.rows(); ++i) {
            const double seen = cut->sum_at(points_of_box(centres.row(i), half, list)).maxCoeff();
            ASSERT_GE(most[i], seen) << base::name_of(family) << " d=" << d << " width " << width;
          }
        }
      }
    }
  }
}

// The function that rises most from a centre where its value (and its gradient) vanish is the
// kernel at the corner minus its projections; it shows that the constants cannot be smaller. Signs
// and sizes of its weights follow from the kernel alone.
struct Extremal {
  std::shared_ptr<const Cut> cut;
  double rise = 0;  // value at the corner
};

Extremal extremal(Family family, double r, bool with_gradient) {
  constexpr double kStep = 1e-4;
  Points at(4, 1);
  at << 0.5 + r, 0.5, 0.5 + kStep, 0.5 - kStep;
  const kernel::Kernel kernel{family, {1.0}, 2.0};
  const numeric::Matrix k = kernel::cross(kernel, at, at);
  const double height = k(1, 1);
  Vector weights{{1.0, -k(0, 1) / height, 0.0, 0.0}};
  if (with_gradient) {
    const double slope = (k(0, 2) - k(0, 3)) / (k(2, 2) - k(2, 3)) / 2;
    weights[2] = -slope;
    weights[3] = slope;
  }
  Extremal result{std::make_shared<const Cut>(kernel, 0.0, at, weights, 0.0), 0};
  result.rise = result.cut->sum_at(at.topRows(1))[0];
  return result;
}

// 5 %: the powers of r are leading terms, and r = 0.02; 1.05 would not hide a constant that is off.
TEST(SumBound, ConstantsAreTheSmallest) {
  const double r = 0.02;
  Points centre(1, 1);
  centre << 0.5;
  const std::vector<double> half = {r};
  for (const Family family : kFamilies) {
    for (const bool with_gradient : {false, true}) {
      // Matern 1/2 has no gradient; the others use theirs in the first case already.
      if (with_gradient == (family == Family::kMatern12)) continue;
      const Extremal worst = extremal(family, r, with_gradient);
      const double most = SumBound(worst.cut).over_boxes(centre, half)[0];
      EXPECT_GE(most, worst.rise) << base::name_of(family);
      EXPECT_LE(most, 1.05 * worst.rise) << base::name_of(family);
    }
  }
}

// Around its only centre a kernel has spent all its norm: no box is too large.
TEST(SumBound, IsExactAtAPeak) {
  Points centre(1, 2);
  centre << 0.4, 0.7;
  const std::vector<double> half = {0.5, 0.5};
  for (const Family family : kFamilies) {
    const auto cut = std::make_shared<const Cut>(kernel::Kernel{family, {0.3}, 2.5}, 0.0, centre,
                                                 Vector{{3.0}}, 0.0);
    EXPECT_NEAR(SumBound(cut).over_boxes(centre, half)[0], 7.5, 1e-4) << base::name_of(family);
  }
}

TEST(SumBound, DependsOnNoOtherBox) {
  const auto cut = random_cut(Family::kMatern52, 3, 500, 2.0);
  const SumBound bound(cut);
  const std::vector<double> half = {0.1, 0.1, 0.1};
  Points centres = random_points(600, 70, 3);
  centres.row(0).setConstant(0.999);  // the largest coordinates of all: errors are sized by them
  const Vector all = bound.over_boxes(centres, half);
  for (const Eigen::Index i : {0, 31, 32, 64, 69}) {
    Points two(2, 3);
    two.row(0) = centres.row(0);
    two.row(1) = centres.row(i);
    EXPECT_EQ(bound.over_boxes(two, half)[1], all[i]) << i;
  }
  EXPECT_EQ(bound.over_boxes(Points(0, 3), half).size(), 0);
}

// Weights whose squares overflow, with terms of both signs, prove nothing; so nothing is below a
// threshold.
TEST(SumBound, DoesNotBoundWhatItCannotCompute) {
  Points at(2, 1);
  at << 0.2, 0.2;
  Points centre(1, 1);
  centre << 0.5;
  const std::vector<double> half = {0.3};
  for (const double huge : {1e100, 1e160, 1e300, std::numeric_limits<double>::max()}) {
    const auto cut =
        std::make_shared<const Cut>(kernel::Kernel{Family::kSquaredExponential, {0.3}, 1.0}, 0.0,
                                    at, Vector{{huge, -0.5 * huge}}, 0.0);
    const double peak = cut->sum_at(at)[0];
    EXPECT_FALSE(SumBound(cut).over_boxes(centre, half)[0] < peak) << huge;
  }
}

}  // namespace
}  // namespace duets::region
