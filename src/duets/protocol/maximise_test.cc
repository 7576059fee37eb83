#include "duets/protocol/maximise.h"

#include <gtest/gtest.h>

#include "duets/base/executor.h"
#include "duets/numeric/rows.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using numeric::Points;
using numeric::Vector;
using region::Region;

Region whole(Domain domain) { return Region(std::make_shared<const Domain>(std::move(domain))); }

// A uniform pool, as the coordinator takes it.
Points pool_of(const Region& region, std::uint32_t count = 512) {
  const base::SerialExecutor executor;
  const region::Sampler sampler(region, initial_sampler(region.domain()));
  return sampler
      .draw(random::StudySecret::from_seed(3).public_coin(), region::Lane::kPublic,
            {EpochId{1}, 0, count}, executor)
      .latents;
}

PointFunction minus_distance2(const Vector& centre) {
  return [centre](const Points& x) -> Vector {
    return -(x.rowwise() - centre.transpose()).rowwise().squaredNorm();
  };
}

PointFunction linear(const Vector& slope) {
  return [slope](const Points& x) -> Vector { return x * slope; };
}

bool is_inside(const Region& region, const Vector& latent) {
  const Points row = latent.transpose();
  return region.domain().contains({latent.data(), static_cast<std::size_t>(latent.size())}) &&
         region.contains(row).inside[0] != 0;
}

TEST(Maximise, FiniteSetTakesTheBestOfThePoolAndTheLowestIndexOfEquals) {
  const Region region = whole(Domain::finite(lattice(10, 2)));
  const Points pool = region.surviving_points();
  const auto f = [](const Points& x) -> Vector {
    Vector values = Vector::Zero(x.rows());
    values[4] = values[7] = 1;
    return values;
  };
  const Supremum best = maximise(region, pool, f);
  EXPECT_EQ(best.value, 1);
  EXPECT_EQ(best.latent, pool.row(4).transpose());
}

// The last step is 1.2e-5 of the width, so each coordinate ends within that of the maximum and the
// value within d (1.2e-5)^2 < 1e-9.
TEST(Maximise, InsideABox) {
  const Region region = whole(Domain::box(3));
  const Vector centre{{0.31, 0.77, 0.5}};
  const Supremum best = maximise(region, pool_of(region), minus_distance2(centre));
  EXPECT_NEAR(best.value, 0, 1e-9);
  EXPECT_LE((best.latent - centre).lpNorm<Eigen::Infinity>(), 2e-5);
}

TEST(Maximise, CornerOfABoxIsReachedExactly) {
  const Region region = whole(Domain::box(3));
  const Supremum best = maximise(region, pool_of(region), linear(Vector{{1.0, -2.0, 0.5}}));
  EXPECT_EQ(best.latent, (Vector{{1.0, 0.0, 1.0}}));
  EXPECT_EQ(best.value, 1.5);
  EXPECT_TRUE(is_inside(region, best.latent));
}

// The maximum of a linear function is r |slope|, on the surface. An angle that is off by the last
// step costs its square; the bound leaves a factor of a hundred.
TEST(Maximise, SurfaceOfABall) {
  for (const double radius : {1.0, 2.5, 1e-3}) {
    const Region region = whole(Domain::ball(4, radius));
    const Vector slope{{1.0, -2.0, 0.5, 0.25}};
    const Supremum best = maximise(region, pool_of(region), linear(slope));
    EXPECT_NEAR(best.value, radius * slope.norm(), 1e-7 * radius);
    EXPECT_TRUE(is_inside(region, best.latent));
  }
}

// Where the function does not depend on a coordinate, moving along that axis gains nothing by
// itself; only turning does.
TEST(Maximise, SurfaceOfABallWithAFlatAxis) {
  const Region region = whole(Domain::ball(3, 2.0));
  const Vector slope{{0.6, 0.0, -0.8}};
  const Supremum best = maximise(region, pool_of(region), linear(slope));
  EXPECT_NEAR(best.value, 2.0, 1e-7);
}

TEST(Maximise, InsideABall) {
  const Region region = whole(Domain::ball(3, 1.0));
  const Vector centre{{0.3, -0.5, 0.1}};
  const Supremum best = maximise(region, pool_of(region), minus_distance2(centre));
  EXPECT_NEAR(best.value, 0, 4e-9);  // the width is 2: steps are twice a box's
}

TEST(Maximise, HighDimensionsStayInside) {
  for (const Domain& domain : {Domain::box(50), Domain::ball(50, 1.0)}) {
    const Region region = whole(domain);
    const Points pool = pool_of(region, 64);
    const PointFunction f = linear(Vector::LinSpaced(50, -1, 2));
    const Supremum best = maximise(region, pool, f);
    EXPECT_TRUE(is_inside(region, best.latent));
    EXPECT_GT(best.value, f(pool).maxCoeff());
  }
}

// A region with a cut: the maximum of a function that grows across the border lies in the region,
// close to the border, and is worth at least the pool's best.
TEST(Maximise, NeverLeavesATrimmedRegion) {
  for (const Domain& domain : {Domain::box(2), Domain::ball(2, 1.0)}) {
    kernel::Kernel kernel;
    kernel.lengthscales = {0.3};
    const Points centre{{0.4, 0.5}};
    const auto cut = std::make_shared<const region::Cut>(kernel, 0.0, centre, Vector::Ones(1), 0.5);
    const Region region = whole(domain).trimmed(cut);
    const Points all = pool_of(whole(domain), 2048);
    std::vector<std::uint32_t> rows;
    const region::Membership membership = region.contains(all);
    for (std::uint32_t i = 0; i < all.rows(); ++i) {
      if (membership.inside[i] != 0) rows.push_back(i);
    }
    const Points pool = numeric::select_rows(all, rows);
    const PointFunction f = linear(Vector{{1.0, 0.0}});
    const Supremum best = maximise(region, pool, f);
    EXPECT_TRUE(is_inside(region, best.latent));
    EXPECT_GE(best.value, f(pool).maxCoeff());
    // exp(-r^2 / (2 0.3^2)) = 1/2 at r = 0.3 sqrt(2 ln 2); coordinate steps reach its rim nearly.
    EXPECT_NEAR(best.value, std::min(1.0, 0.4 + 0.3 * std::sqrt(2 * std::log(2.0))), 0.01);
    EXPECT_LE(best.value, 0.4 + 0.3 * std::sqrt(2 * std::log(2.0)) + 1e-12);
  }
}

TEST(Maximise, OnePointIsEnough) {
  const Region region = whole(Domain::box(1));
  const Points pool = Points::Constant(1, 1, 0.25);
  const Supremum best = maximise(region, pool, minus_distance2(Vector::Constant(1, 0.9)));
  EXPECT_NEAR(best.latent[0], 0.9, 2e-5);
}

}  // namespace
}  // namespace duets::protocol
