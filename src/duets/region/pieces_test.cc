// Pieces of regions whose number is known: level sets of a few bumps.
#include "duets/region/pieces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "duets/numeric/rows.h"
#include "duets/region/draw.h"

namespace duets::region {
namespace {

using domain::Domain;
using numeric::Points;
using numeric::Vector;

constexpr double kBumpScale = 0.1;
constexpr double kBumpLevel = 0.6;
const random::Coin kPiecesCoin = random::StudySecret::from_seed(11).public_coin();

// Where the bumps around `centers` add up to at least kBumpLevel.
Region bumps(const Domain& domain, const Points& centers) {
  return Region(std::make_shared<const Domain>(domain))
      .trimmed(std::make_shared<const Cut>(
          kernel::Kernel{kernel::Family::kSquaredExponential, {kBumpScale}, 1.0}, 0.0, centers,
          Vector::Ones(centers.rows()), kBumpLevel));
}

// Those of 20000 uniform points that lie inside.
Points points_of(const Region& region) {
  constexpr std::uint32_t kTried = 20000;
  Points points(kTried, static_cast<Eigen::Index>(region.domain().dimension()));
  for (std::uint32_t i = 0; i < kTried; ++i) {
    draw_point(kPiecesCoin, {.purpose = random::Purpose::kPoint, .slot = i}, region.domain(),
               {points.row(i).data(), region.domain().dimension()});
  }
  const Membership membership = region.contains(points);
  std::vector<std::uint32_t> inside;
  for (std::uint32_t i = 0; i < kTried; ++i) {
    if (membership.inside[i] != 0) inside.push_back(i);
  }
  return numeric::select_rows(points, inside);
}

std::uint64_t pieces_of(const Region& region) { return count_pieces(region, points_of(region)); }

// Four length scales apart and more, so bumps do not touch; of the balls one sticks out.
TEST(Pieces, OneForEachBump) {
  const Points line{{0.1}, {0.5}, {0.98}};
  EXPECT_EQ(pieces_of(bumps(Domain::box(1), line)), 3u);
  EXPECT_EQ(pieces_of(bumps(Domain::ball(1, 1.0), line)), 3u);
  const Points plane{{0.1, 0.1}, {0.1, 0.6}, {0.6, 0.1}, {0.6, 0.6}, {1.0, 1.0}};
  EXPECT_EQ(pieces_of(bumps(Domain::box(2), plane)), 5u);
  EXPECT_EQ(pieces_of(bumps(Domain::ball(2, 0.9), plane)), 4u);
  const Points space{{0.1, 0.1, 0.1}, {0.9, 0.1, 0.5}, {0.1, 0.9, 0.9}, {0.5, 0.5, 0.5}};
  EXPECT_EQ(pieces_of(bumps(Domain::box(3), space)), 4u);
}

// Two bumps are one piece when the middle between them belongs to the region. Never more than there
// are, at any distance; and exactly as many where the gap is as wide as a few cells.
TEST(Pieces, NeverMoreThanThereAre) {
  for (const double distance : {0.15, 0.2, 0.24, 0.28, 0.3, 0.32, 0.34, 0.36, 0.4, 0.5}) {
    const double middle = 2 * std::exp(-0.5 * std::pow(0.5 * distance / kBumpScale, 2));
    const Points centers{{0.25, 0.3}, {0.25 + 0.8 * distance, 0.3 + 0.6 * distance}};
    const std::uint64_t pieces = pieces_of(bumps(Domain::box(2), centers));
    const std::uint64_t truth = middle >= kBumpLevel ? 1 : 2;
    EXPECT_LE(pieces, truth) << distance;
    EXPECT_GE(pieces, 1u);
    if (std::abs(middle - kBumpLevel) > 0.1) {
      EXPECT_EQ(pieces, truth) << distance;
    }
  }
}

// A group of cells in which no point lies may be none of the region's.
TEST(Pieces, OnlyThoseWithAPoint) {
  const Region region = bumps(Domain::box(2), Points{{0.2, 0.2}, {0.8, 0.8}});
  EXPECT_EQ(count_pieces(region, Points{{0.8, 0.81}, {0.79, 0.8}}), 1u);
  EXPECT_EQ(count_pieces(region, Points{{0.8, 0.81}, {0.2, 0.2}}), 2u);
  EXPECT_EQ(count_pieces(region, Points(0, 2)), 0u);
}

// Small regions have small cells: two bumps of a thousandth of the square with a gap of 0.03. The
// whole square in 4096 cells would have cells of 0.016.
TEST(Pieces, CellsAreAsFineAsTheRegionIsSmall) {
  const Points centers{{0.4, 0.5}, {0.47, 0.5}};
  const Region region = Region(std::make_shared<const Domain>(Domain::box(2)))
                            .trimmed(std::make_shared<const Cut>(
                                kernel::Kernel{kernel::Family::kSquaredExponential, {0.02}, 1.0},
                                0.0, centers, Vector::Ones(2), kBumpLevel));
  EXPECT_EQ(count_pieces(region, centers), 2u);
}

TEST(Pieces, TheWholeDomainIsOneAndWhatHasNoCoverNone) {
  const auto whole = [](const Domain& d) { return Region(std::make_shared<const Domain>(d)); };
  EXPECT_EQ(count_pieces(whole(Domain::box(3)), Points::Zero(1, 3)), 1u);
  EXPECT_EQ(count_pieces(whole(Domain::box(4)), Points::Zero(1, 4)), 0u);
  EXPECT_EQ(count_pieces(whole(Domain::finite(Points::Zero(3, 2))), Points::Zero(1, 2)), 0u);
  const domain::Parameter whole_number{.name = "n", .type = domain::ParameterType::kInt, .high = 5};
  EXPECT_EQ(count_pieces(whole(Domain::box({whole_number})), Points::Zero(1, 1)), 0u);
}

}  // namespace
}  // namespace duets::region
