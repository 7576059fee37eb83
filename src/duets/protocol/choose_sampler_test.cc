// Which method the coordinator takes, and what it says about the region.
#include "duets/protocol/choose_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "duets/protocol/epoch_model.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using domain::Domain;
using kernel::Family;
using numeric::Points;
using numeric::Vector;
using region::Method;

struct Choice {
  Trim trim;
  EpochReport report;
  region::Region next;
};

// The end of epoch 1 on a whole domain: one bump around its middle, cut at `tau` times its height.
Choice choose(const Domain& domain, double tau, std::uint32_t agents = 100,
              Family family = Family::kSquaredExponential) {
  Study study = small_study(domain);
  study.agents = agents;
  study.horizon = 1000;
  study.kernel = {family, {0.5}, 1.0};
  const PublicView view(share(study), random::StudySecret::from_seed(3).public_coin(),
                        kTestExecutor);
  const auto d = static_cast<Eigen::Index>(domain.dimension());
  const Points middle = Points::Constant(1, d, domain.shape() == domain::Shape::kBall ? 0.0 : 0.5);
  const auto cut = std::make_shared<const region::Cut>(study.kernel, 0.0, domain.features(middle),
                                                       Vector{{2.0}}, 2.0 * tau);
  Choice choice{{}, {}, view.region(EpochId{1}).trimmed(cut)};
  choose_sampler(view, EpochId{1}, choice.next, supremum_pool(view, EpochId{1}),
                 middle.row(0).transpose(), choice.report, choice.trim);
  return choice;
}

region::Draw draw(const Choice& choice, std::uint32_t count) {
  const region::Sampler sampler(choice.next, choice.trim.sampler);
  return sampler.draw(random::StudySecret::from_seed(3).agent_coin(AgentId{0}),
                      region::Lane::kPrivate, {EpochId{2}, 0, count}, kTestExecutor);
}

// exp(-r^2 / 2) >= tau is a ball of radius sqrt(-2 ln tau) length scales.
double disc_area(double tau) { return M_PI * 0.25 * (-2 * std::log(tau)); }

// A small region is covered, and its volume is known far better than from a pool that it has no
// point of: 5 % is five standard errors of 4096 draws at an acceptance of one half.
TEST(ChooseSampler, CoversASmallRegion) {
  for (const double tau : {0.98, 0.999, 0.9999, 0.9999999}) {
    for (const Domain& domain : {Domain::box(2), Domain::ball(2, 0.5)}) {
      const Choice choice = choose(domain, tau);
      ASSERT_EQ(choice.trim.sampler.method, Method::kCover) << tau;
      const double whole = domain.shape() == domain::Shape::kBall ? M_PI * 0.25 : 1.0;
      const double fraction = disc_area(tau) / whole;
      EXPECT_NEAR(choice.report.cut_acceptance / fraction, 1.0, 0.05) << tau;
      const region::Draw points = draw(choice, 2000);
      EXPECT_LT(points.tests, 2000U * 3) << tau;
      EXPECT_EQ(choice.trim.starts.rows(), 0);
    }
  }
}

TEST(ChooseSampler, CoversInOneAndInFourDimensions) {
  for (const std::size_t d : {1U, 4U}) {
    const Choice choice = choose(Domain::box(d), 0.999);
    ASSERT_EQ(choice.trim.sampler.method, Method::kCover) << d;
    EXPECT_LT(draw(choice, 2000).tests, 2000U * 12) << d;
  }
}

// The cap is 60 times what a slot needs, as for rejection, or the power of two above.
TEST(ChooseSampler, AttemptsFollowTheMeasuredAcceptance) {
  const Choice choice = choose(Domain::box(2), 0.999);
  const region::Cover cover(choice.next, choice.trim.sampler.cover_depth);
  const double acceptance = disc_area(0.999) / cover.volume();
  const std::uint32_t attempts = choice.trim.sampler.max_attempts;
  EXPECT_TRUE(std::has_single_bit(attempts));
  EXPECT_GE(attempts / (60 / acceptance), 0.94);
  EXPECT_LE(attempts / (60 / acceptance), 2 * 1.06);
}

// Nearly everything survives: plain rejection is as good, and needs no cover.
TEST(ChooseSampler, DoesNotCoverALargeRegion) {
  const Choice choice = choose(Domain::box(2), 0.5, 3);
  EXPECT_EQ(choice.trim.sampler.method, Method::kRejection);
  EXPECT_EQ(choice.trim.sampler.cover_depth, 0U);
}

// Few points: a cover costs more than it saves. With many it is worth its cells.
TEST(ChooseSampler, WeighsTheCellsAgainstThePoints) {
  EXPECT_EQ(choose(Domain::box(2), 0.80, 3).trim.sampler.method, Method::kRejection);
  EXPECT_EQ(choose(Domain::box(2), 0.80, 5000).trim.sampler.method, Method::kCover);
  const std::uint32_t few = choose(Domain::box(2), 0.99, 3).trim.sampler.cover_depth;
  const std::uint32_t many = choose(Domain::box(2), 0.99, 5000).trim.sampler.cover_depth;
  EXPECT_GT(few, 0U);
  EXPECT_GT(many, few);
}

// A cover that accepts next to nothing within its budget of cells is no use.
TEST(ChooseSampler, WalksWhereACoverIsUseless) {
  const Choice rough = choose(Domain::box(4), 0.995, 100, Family::kMatern12);
  EXPECT_EQ(rough.trim.sampler.method, Method::kWalk);
  EXPECT_EQ(choose(Domain::box(10), 0.9).trim.sampler.method, Method::kWalk);
}

TEST(ChooseSampler, WalksWhereFeaturesDifferFromLatents) {
  const domain::Parameter real{.name = "x"};
  const domain::Parameter whole{.name = "n", .type = domain::ParameterType::kInt, .high = 1000};
  const Choice choice = choose(Domain::box({real, whole}), 0.999);
  EXPECT_EQ(choice.trim.sampler.method, Method::kWalk);
}

}  // namespace
}  // namespace duets::protocol
