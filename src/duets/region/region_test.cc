#include "duets/region/region.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "duets/kernel/formula_test_support.h"
#include "duets/numeric/rows.h"

namespace duets::region {
namespace {

using domain::Domain;
using kernel::Family;
using kernel::Kernel;
using numeric::Points;
using numeric::Vector;

// Spread points of [low, high]^d, the same on every machine.
Points lattice(Eigen::Index n, Eigen::Index d, double low = 0, double high = 1) {
  Points points(n, d);
  for (Eigen::Index k = 0; k < d; ++k) {
    const double step = std::sqrt(static_cast<double>(k + 2) + 0.21);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double x = step * static_cast<double>(i + 1);
      points(i, k) = low + (high - low) * (x - std::floor(x));
    }
  }
  return points;
}

std::shared_ptr<const Cut> make_cut(const Kernel& kernel, const Points& centers, double tau) {
  Vector weights(centers.rows());
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    weights[i] = (i % 3 == 1 ? -0.8 : 1.0) / (1.0 + 0.2 * static_cast<double>(i));
  }
  return std::make_shared<const Cut>(kernel, 0.0, centers, weights, tau);
}

// A cut that keeps about `fraction` of the feature points `x`: tau lies midway between two sums.
std::shared_ptr<const Cut> cut_keeping(double fraction, const Points& x, const Kernel& kernel,
                                       const Points& centers) {
  Vector sums = make_cut(kernel, centers, 0)->sum_at(x);
  std::sort(sums.data(), sums.data() + sums.size());
  const auto rank = static_cast<Eigen::Index>((1 - fraction) * static_cast<double>(x.rows()));
  return make_cut(kernel, centers, 0.5 * (sums[rank - 1] + sums[rank]));
}

// sum - tau by the formula, in long double and with the library's exp.
long double margin(const Cut& cut, const Points& features, Eigen::Index row) {
  long double sum = 0;
  for (Eigen::Index s = 0; s < cut.inducing().rows(); ++s) {
    sum += cut.weights()[s] * kernel::test::formula(cut.kernel(), features, row, cut.inducing(), s);
  }
  return sum - cut.tau();
}

// Rounding of the strict sum: fewer than 10 terms below 2, a few ulp each. Points nearer to a
// threshold than this are undecidable for the formula; the inputs are such that there are none.
constexpr long double kUndecidable = 1e-13L;

void expect_brute_force(const Region& region, const Points& latents) {
  const Membership membership = region.contains(latents);
  const Points features = region.domain().features(latents);
  ASSERT_EQ(membership.inside.size(), static_cast<std::size_t>(latents.rows()));
  std::size_t num_inside = 0;
  for (Eigen::Index i = 0; i < latents.rows(); ++i) {
    bool inside = true;
    for (const auto& cut : region.cuts()) {
      const long double m = margin(*cut, features, i);
      ASSERT_GT(std::abs(m), kUndecidable) << "row " << i;
      inside = inside && m >= 0;
    }
    EXPECT_EQ(membership.inside[static_cast<std::size_t>(i)] != 0, inside) << "row " << i;
    num_inside += inside ? 1 : 0;
  }
  // A test set that lies on one side shows nothing.
  EXPECT_GT(num_inside, static_cast<std::size_t>(latents.rows() / 50));
  EXPECT_LT(num_inside, static_cast<std::size_t>(latents.rows() * 9 / 10));
}

TEST(Region, WithoutCutsHoldsEverything) {
  const Region region(std::make_shared<const Domain>(Domain::box(2)));
  const Membership membership = region.contains(lattice(50, 2));
  EXPECT_EQ(std::count(membership.inside.begin(), membership.inside.end(), 1), 50);
  EXPECT_EQ(membership.smallest_margin, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(region.contains(Points(0, 2)).inside.empty());
}

TEST(Region, MembershipIsTheIntersectionOfItsCuts) {
  for (const Family family :
       {Family::kSquaredExponential, Family::kMatern12, Family::kMatern32, Family::kMatern52}) {
    SCOPED_TRACE(base::name_of(family));
    const Points square = lattice(600, 2);
    const Region box = Region(std::make_shared<const Domain>(Domain::box(2)))
                           .trimmed(cut_keeping(0.5, square, {family, {0.3}, 1.0}, lattice(7, 2)));
    expect_brute_force(box, square);
    // A cut keeps its own kernel: the second one has other length scales and another variance.
    const Region twice =
        box.trimmed(cut_keeping(0.4, square, {family, {0.2, 0.5}, 1.3}, lattice(9, 2, 0.2)));
    expect_brute_force(twice, square);

    const Points cube = lattice(600, 3, -0.57, 0.57);
    const Region ball =
        Region(std::make_shared<const Domain>(Domain::ball(3, 1.0)))
            .trimmed(cut_keeping(0.3, cube, {family, {0.6}, 1.0}, lattice(8, 3, -0.5, 0.5)));
    expect_brute_force(ball, cube);
  }
}

// The kernel sees features: latents of one cell of an integer are in or out together.
TEST(Region, MembershipIsDecidedOnFeatures) {
  const std::vector<domain::Parameter> parameters{
      {.name = "depth", .type = domain::ParameterType::kInt, .low = 1, .high = 4},
      {.name = "kind", .type = domain::ParameterType::kCategorical, .choices = {"a", "b", "c"}},
      {.name = "rate", .low = 0, .high = 2}};
  const auto domain = std::make_shared<const Domain>(Domain::box(parameters));
  const Points latents = lattice(400, 3);
  const Region region = Region(domain).trimmed(make_cut(
      {Family::kSquaredExponential, {0.7}, 1.0}, domain->features(lattice(6, 3, 0.1, 0.9)), 0.35));
  expect_brute_force(region, latents);
  Points snapped = latents;
  for (Eigen::Index i = 0; i < snapped.rows(); ++i) {
    snapped(i, 0) = (std::floor(4 * latents(i, 0)) + 0.5) / 4;
    snapped(i, 1) = (std::floor(3 * latents(i, 1)) + 0.5) / 3;
  }
  EXPECT_EQ(region.contains(snapped).inside, region.contains(latents).inside);
}

TEST(Region, SmallestMarginIsThatOfTheClosestDecision) {
  const Region region = Region(std::make_shared<const Domain>(Domain::box(2)))
                            .trimmed(make_cut({Family::kMatern52, {0.3}, 1.0}, lattice(7, 2), 0.1));
  const Points latents = lattice(200, 2);
  long double closest = 1;
  for (Eigen::Index i = 0; i < latents.rows(); ++i) {
    closest = std::min(closest, std::abs(margin(*region.cuts()[0], latents, i)));
  }
  EXPECT_NEAR(region.contains(latents).smallest_margin, static_cast<double>(closest), 1e-13);
}

TEST(Region, FiniteSurvivorsAreTheCandidatesThatAllCutsKeep) {
  const Points candidates = lattice(300, 2);
  const Region whole(std::make_shared<const Domain>(Domain::finite(candidates)));
  ASSERT_EQ(whole.survivors().size(), 300U);
  Region region = whole;
  for (const double lengthscale : {0.5, 0.3, 0.1}) {
    const Region next = region.trimmed(cut_keeping(
        0.6, candidates, {Family::kSquaredExponential, {lengthscale}, 1.0}, lattice(7, 2)));
    // Nesting, and exactly those that the membership test keeps.
    const Membership membership = next.contains(candidates);
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 300; ++i) {
      if (membership.inside[i] != 0) expected.push_back(i);
    }
    EXPECT_EQ(next.survivors(), expected);
    EXPECT_TRUE(std::includes(region.survivors().begin(), region.survivors().end(),
                              next.survivors().begin(), next.survivors().end()));
    EXPECT_LT(next.survivors().size(), region.survivors().size());
    EXPECT_EQ(next.surviving_points(), numeric::select_rows(candidates, expected));

    // The margin is over the candidates this cut decided: the survivors before it.
    long double closest = 1;
    for (Eigen::Index i = 0; i < region.surviving_points().rows(); ++i) {
      closest =
          std::min(closest, std::abs(margin(*next.cuts().back(), region.surviving_points(), i)));
    }
    EXPECT_NEAR(next.last_margin(), static_cast<double>(closest), 1e-13);
    region = next;
  }
  EXPECT_GT(region.survivors().size(), 0U);
  EXPECT_EQ(whole.survivors().size(), 300U) << "trimming must not change what it trims";
  EXPECT_TRUE(whole.cuts().empty());
}

// tau is taken from a point of the region, and that point has to stay: the comparison is >=.
TEST(Region, APointExactlyOnTheThresholdStays) {
  const Points candidates = lattice(40, 2);
  const Region whole(std::make_shared<const Domain>(Domain::finite(candidates)));
  const Kernel kernel{Family::kMatern32, {0.4}, 1.0};
  const Vector sums = make_cut(kernel, lattice(5, 2), 0)->sum_at(candidates);
  Eigen::Index best = 0;
  const double tau = sums.maxCoeff(&best);
  const Region only = whole.trimmed(make_cut(kernel, lattice(5, 2), tau));
  EXPECT_EQ(only.survivors(), std::vector<std::uint32_t>{static_cast<std::uint32_t>(best)});
  EXPECT_EQ(only.last_margin(), 0.0);
  EXPECT_EQ(only.contains(candidates.row(best)).inside[0], 1);

  const Region none = whole.trimmed(make_cut(kernel, lattice(5, 2), std::nextafter(tau, 10.0)));
  EXPECT_TRUE(none.survivors().empty());
}

// Candidates are separate even where two are equal.
TEST(Region, DuplicateCandidatesSurviveTogether) {
  Points candidates(4, 1);
  candidates << 0.1, 0.8, 0.1, 0.1;
  const auto cut = std::make_shared<const Cut>(Kernel{Family::kMatern12, {0.2}, 1.0}, 0.0,
                                               Points::Constant(1, 1, 0.1), Vector::Ones(1), 0.9);
  const Region region =
      Region(std::make_shared<const Domain>(Domain::finite(candidates))).trimmed(cut);
  EXPECT_EQ(region.survivors(), (std::vector<std::uint32_t>{0, 2, 3}));
}

}  // namespace
}  // namespace duets::region
