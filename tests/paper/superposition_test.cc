// "The union of the local sets of size t query points is identical in distribution to the set of
// size N t query points obtained at a centralized decision maker" (section 1.2). Seeds are fixed;
// the stated false-alarm probability is that of a correct sampler under seeds chosen at random.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "duets/gp/exact.h"
#include "duets/region/sampler.h"
#include "protocol_run.h"
#include "statistics.h"

namespace duets::paper {
namespace {

using base::AgentId;
using base::EpochId;
using numeric::Points;
using numeric::Vector;

const kernel::Kernel kSuperpositionKernel{kernel::Family::kSquaredExponential, {0.15}, 1.0};

// P(KS > 2.7) <= 9.3e-7, P(Z > 4.8) = 7.9e-7.
constexpr double kKolmogorovBound = 2.7;
constexpr double kDeviateBound = 4.8;

// A trimmed set of several pieces, sampled by rejection.
region::Sampler sampler() {
  Points centers(4, 2);
  centers << 0.2, 0.25, 0.75, 0.8, 0.8, 0.2, 0.5, 0.5;
  const auto cut = std::make_shared<const region::Cut>(kSuperpositionKernel, 0.0, centers,
                                                       Vector{{1.0, 0.8, 0.9, -0.5}}, 0.3);
  return {
      region::Region(std::make_shared<const domain::Domain>(domain::Domain::box(2))).trimmed(cut),
      {.method = region::Method::kRejection, .max_attempts = 2000}};
}

// The union of `agents` agents' first `count` points.
Points union_of(const region::Sampler& s, std::uint64_t seed, std::uint32_t agents,
                std::uint32_t count, bool one_coin_for_all = false) {
  const auto secret = random::StudySecret::from_seed(seed);
  std::vector<Points> parts;
  for (std::uint32_t n = 0; n < agents; ++n) {
    parts.push_back(s.draw(secret.agent_coin(AgentId{one_coin_for_all ? 0 : n}),
                           region::Lane::kPrivate, {EpochId{2}, 0, count}, base::SerialExecutor())
                        .latents);
  }
  return stacked(parts);
}

// False alarm 2 x 9.3e-7 + 7.9e-7.
TEST(PaperSuperposition, OnePointAtATime) {
  const region::Sampler s = sampler();
  const Points many = union_of(s, 1, 20, 500);
  const Points one = union_of(s, 2, 1, 10000);
  for (Eigen::Index k = 0; k < 2; ++k) {
    EXPECT_LT(two_sample_ks(many.col(k), one.col(k)), kKolmogorovBound);
  }
  EXPECT_LT(two_sample_deviate(many, one, 16), kDeviateBound);
}

// Agents do not know each other's coins: the same slot of two agents gives independent points. The
// pairs (agent 0, agent 1) have to look like pairs of different slots of one agent. False alarm
// 7.9e-7.
TEST(PaperSuperposition, AgentsAreIndependent) {
  const region::Sampler s = sampler();
  const auto pairs = [](const Points& a, const Points& b) {
    Points both(a.rows(), 2);
    both << a.col(0), b.col(0);
    return both;
  };
  const Points two = union_of(s, 3, 2, 5000);
  const Points one = union_of(s, 4, 1, 10000);
  const Points across = pairs(two.topRows(5000), two.bottomRows(5000));
  const Points within = pairs(one.topRows(5000), one.bottomRows(5000));
  EXPECT_LT(two_sample_deviate(across, within, 10), kDeviateBound);
  // The control: agents with one coin.
  const Points same = union_of(s, 3, 2, 5000, true);
  EXPECT_GT(two_sample_deviate(pairs(same.topRows(5000), same.bottomRows(5000)), within, 10),
            5 * kDeviateBound);
}

// The whole set at once, through what the algorithm uses it for: information gain and largest
// variance at the points themselves, over 400 seeds. False alarm 2 x 9.3e-7.
TEST(PaperSuperposition, TheSetAsAWhole) {
  constexpr std::uint32_t kSeeds = 400;
  const region::Sampler s = sampler();
  const Points probes = union_of(s, 999, 1, 100);
  const auto statistics = [&](std::uint64_t first_seed, std::uint32_t agents, std::uint32_t count,
                              bool one_coin) {
    Points values(kSeeds, 2);
    for (std::uint32_t i = 0; i < kSeeds; ++i) {
      const gp::ExactPosterior posterior(kSuperpositionKernel,
                                         union_of(s, first_seed + i, agents, count, one_coin),
                                         Vector(), 0.2);
      values.row(i) << posterior.information_gain(), posterior.variance(probes).variance.maxCoeff();
    }
    return values;
  };
  const Points many = statistics(10000, 10, 3, false);
  const Points one = statistics(20000, 1, 30, false);
  const Points copies = statistics(10000, 10, 3, true);
  for (Eigen::Index k = 0; k < 2; ++k) {
    EXPECT_LT(two_sample_ks(many.col(k), one.col(k)), kKolmogorovBound);
    EXPECT_GT(two_sample_ks(copies.col(k), one.col(k)), 2 * kKolmogorovBound) << "the control";
  }
}

}  // namespace
}  // namespace duets::paper
