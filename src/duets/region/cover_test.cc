// A cover contains its region, has few cells, and is the same for every party.
#include "duets/region/cover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "duets/base/error.h"
#include "duets/numeric/rows.h"
#include "duets/region/draw.h"

namespace duets::region {
namespace {

using domain::Domain;
using kernel::Family;
using numeric::Points;
using numeric::Vector;

const random::Coin kCoverCoin = random::StudySecret::from_seed(5).public_coin();

Points uniform_points(const Domain& domain, std::uint32_t count) {
  Points points(count, static_cast<Eigen::Index>(domain.dimension()));
  for (std::uint32_t i = 0; i < count; ++i) {
    draw_point(kCoverCoin, {.purpose = random::Purpose::kPoint, .epoch = 9, .slot = i}, domain,
               {points.row(i).data(), domain.dimension()});
  }
  return points;
}

// Keeps this share of the given points: the threshold is a quantile of their sums.
std::shared_ptr<const Cut> cover_cut_keeping(double share, Family family, const Points& points,
                                             int variant) {
  const Eigen::Index d = points.cols();
  std::vector<double> scales;
  for (Eigen::Index k = 0; k < d; ++k) scales.push_back(0.35 + 0.1 * static_cast<double>(k));
  const kernel::Kernel kernel{family, scales, 1.5};
  const Points inducing = points.middleRows(7 * variant, 12);
  Vector weights(12);
  for (int i = 0; i < 12; ++i) weights[i] = (i % 3 == variant % 3 ? -0.6 : 1.0) / (1 + 0.2 * i);
  const Vector sums = kernel::weighted_sum(kernel, points, inducing, weights);
  std::vector<double> sorted(sums.data(), sums.data() + sums.size());
  std::sort(sorted.begin(), sorted.end());
  const auto below = static_cast<std::size_t>((1 - share) * static_cast<double>(sums.size()));
  return std::make_shared<const Cut>(kernel, 0.0, inducing, weights, sorted[below]);
}

Points points_inside(const Region& region, const Points& points) {
  const Membership membership = region.contains(points);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < membership.inside.size(); ++i) {
    if (membership.inside[i] != 0) rows.push_back(i);
  }
  return numeric::select_rows(points, rows);
}

// A twelfth of the domain, by two cuts.
Region two_cuts(const Domain& domain, Family family, const Points& points) {
  const Region first = Region(std::make_shared<const Domain>(domain))
                           .trimmed(cover_cut_keeping(0.4, family, points, 0));
  return first.trimmed(cover_cut_keeping(0.2, family, points_inside(first, points), 1));
}

using CellKey = std::vector<std::int64_t>;

CellKey key_of(const Cover& cover, const double* unit) {
  CellKey key;
  for (std::size_t k = 0; k < cover.widths().size(); ++k) {
    key.push_back(static_cast<std::int64_t>(std::floor(unit[k] / cover.widths()[k])));
  }
  return key;
}

std::set<CellKey> cells_of(const Cover& cover) {
  std::set<CellKey> cells;
  for (Eigen::Index i = 0; i < cover.corners().rows(); ++i) {
    cells.insert(key_of(cover, cover.corners().row(i).data()));
  }
  return cells;
}

// How many points of the region lie in no cell.
int num_missed(const Cover& cover, const Points& points) {
  const std::set<CellKey> cells = cells_of(cover);
  const Points inside = points_inside(cover.region(), points);
  int missed = 0;
  for (Eigen::Index i = 0; i < inside.rows(); ++i) {
    std::vector<double> unit;
    for (Eigen::Index k = 0; k < inside.cols(); ++k) unit.push_back(cover.to_unit(inside(i, k)));
    if (!cells.contains(key_of(cover, unit.data()))) ++missed;
  }
  return missed;
}

std::string error_text(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "";
}

// 40000 points of the domain by brute force, of which some thousand lie in the region, at every
// depth until the cells are many.
TEST(Cover, ContainsTheRegion) {
  for (const Family family :
       {Family::kSquaredExponential, Family::kMatern12, Family::kMatern32, Family::kMatern52}) {
    for (const Domain& domain : {Domain::box(1), Domain::box(2), Domain::box(4),
                                 Domain::ball(2, 0.8), Domain::ball(3, 1.3)}) {
      const Points points = uniform_points(domain, 40000);
      Cover cover(two_cuts(domain, family, points), 0);
      ASSERT_EQ(num_missed(cover, points), 0);
      while (cover.depth() < 16 && cover.size() < 3000) {
        cover.refine();
        ASSERT_EQ(num_missed(cover, points), 0)
            << base::name_of(family) << ' ' << base::name_of(domain.shape()) << domain.dimension()
            << " depth " << cover.depth();
      }
    }
  }
}

// Without dropping cells the volume would not shrink; with wrong drops it would fall below the
// region's. 9 % is five standard errors of the region's share, counted on 40000 points.
TEST(Cover, ShrinksToTheRegion) {
  for (const Domain& domain : {Domain::box(2), Domain::ball(2, 0.8)}) {
    const Points points = uniform_points(domain, 40000);
    const Region region = two_cuts(domain, Family::kSquaredExponential, points);
    const double share = static_cast<double>(points_inside(region, points).rows()) / 40000;
    const double volume = Cover(region, 16).volume();
    EXPECT_GT(volume, share * 0.91);
    EXPECT_LT(volume, share * 1.2);
  }
}

TEST(Cover, VolumeIsAMultipleOfTheDomain) {
  const auto whole = [](const Domain& d) { return Region(std::make_shared<const Domain>(d)); };
  EXPECT_EQ(Cover(whole(Domain::box(3)), 5).volume(), 1.0);
  EXPECT_NEAR(Cover(whole(Domain::ball(1, 3.0)), 0).volume(), 1.0, 1e-15);
  EXPECT_NEAR(Cover(whole(Domain::ball(2, 3.0)), 0).volume(), 4 / M_PI, 1e-15);
  EXPECT_NEAR(Cover(whole(Domain::ball(3, 0.5)), 0).volume(), 6 / M_PI, 1e-15);
  // Cells beside the ball go away: 4 / pi becomes a little more than 1.
  EXPECT_LT(Cover(whole(Domain::ball(2, 3.0)), 14).volume(), 1.03);
  EXPECT_GT(Cover(whole(Domain::ball(2, 3.0)), 14).volume(), 1.0);
}

// Refining one cover and building another to the same depth is the same; halves follow in place.
TEST(Cover, IsAFunctionOfRegionAndDepth) {
  const Domain domain = Domain::box(3);
  const Region region = two_cuts(domain, Family::kMatern52, uniform_points(domain, 4000));
  Cover grown(region, 4);
  while (grown.depth() < 11) grown.refine();
  const Cover built(region, 11);
  EXPECT_EQ(grown.corners(), built.corners());
  EXPECT_EQ(grown.widths(), built.widths());
  EXPECT_EQ(grown.num_tested(), built.num_tested());
  // Length scales grow with the axis, so the first axes are halved more often.
  EXPECT_LE(built.widths()[0], built.widths()[2]);
}

TEST(Cover, DrawsByTheDocumentedWords) {
  const Domain domain = Domain::ball(2, 0.8);
  const Region region = two_cuts(domain, Family::kSquaredExponential, uniform_points(domain, 4000));
  const Cover cover(region, 9);
  for (std::uint32_t slot = 0; slot < 50; ++slot) {
    const random::Address address{
        .purpose = random::Purpose::kPoint, .epoch = 3, .slot = slot, .attempt = 2};
    std::vector<std::uint64_t> words(3);
    kCoverCoin.words(address, words);
    std::vector<double> point(2);
    cover.draw(kCoverCoin, address, point);
    const auto cell = static_cast<Eigen::Index>(random::index_below(words[0], cover.size()));
    for (std::size_t k = 0; k < 2; ++k) {
      const double u = cover.corners()(cell, static_cast<Eigen::Index>(k)) +
                       cover.widths()[k] * (static_cast<double>(words[k + 1] >> 11) * 0x1p-53);
      EXPECT_EQ(point[k], 0.8 * (2 * u - 1));
    }
  }
}

// A draw fills many words as it fills few.
TEST(Cover, DrawsInManyDimensions) {
  const Cover cover(Region(std::make_shared<const Domain>(Domain::box(40))), 3);
  std::vector<double> point(40, -1);
  cover.draw(kCoverCoin, {.purpose = random::Purpose::kPoint}, point);
  EXPECT_TRUE(cover.region().domain().contains(point));
}

TEST(Cover, RefusesWhatItCannotCover) {
  const auto whole = [](const Domain& d) { return Region(std::make_shared<const Domain>(d)); };
  domain::Parameter whole_number{.name = "n", .type = domain::ParameterType::kInt, .high = 5};
  domain::Parameter exponent{.name = "rate", .low = 1e-4, .high = 1, .log = true};
  EXPECT_FALSE(Cover::is_possible(Domain::finite(Points::Zero(3, 2))));
  EXPECT_FALSE(Cover::is_possible(Domain::box({whole_number, exponent})));
  EXPECT_TRUE(Cover::is_possible(Domain::box({exponent})));
  EXPECT_TRUE(Cover::is_possible(Domain::ball(3, 1.0)));
  EXPECT_NE(error_text([&] { Cover(whole(Domain::box({whole_number})), 1); }).find("float"),
            std::string::npos);
  EXPECT_NE(error_text([&] { Cover(whole(Domain::box(1)), 61); }).find("at most 60"),
            std::string::npos);
  EXPECT_NE(error_text([&] { Cover(whole(Domain::box(1)), 19); }).find("too many"),
            std::string::npos);
  EXPECT_NE(error_text([&] { Cover(whole(Domain::box(64)), 16); }).find("too many"),
            std::string::npos);
  const Region nothing = whole(Domain::box(1))
                             .trimmed(std::make_shared<const Cut>(
                                 kernel::Kernel{Family::kSquaredExponential, {0.3}, 1.0}, 0.0,
                                 Points::Constant(1, 1, 0.5), Vector{{1.0}}, 1.5));
  EXPECT_NE(error_text([&] { Cover(nothing, 8); }).find("no cell left"), std::string::npos);
}

}  // namespace
}  // namespace duets::region
