// Section 3: what agents and server compute in an epoch, seen from outside the library.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "duets/problems/functions.h"
#include "duets/region/draw.h"
#include "naive_posterior.h"
#include "protocol_run.h"

namespace duets::paper {
namespace {

using base::EpochId;
using numeric::Points;
using numeric::Vector;
using protocol::Study;

constexpr double kLambda = 0.2;
const kernel::Kernel kKernel{kernel::Family::kMatern32, {0.3}, 1.0};

std::shared_ptr<const Study> study() {
  Study s;
  s.agents = 5;
  s.horizon = 40;
  s.t1 = 4;
  s.domain = std::make_shared<const domain::Domain>(domain::Domain::finite(
      region::random_candidates(random::StudySecret::from_seed(3).public_coin(),
                                region::CandidateShape::kCube, 400, 2, 1)));
  s.kernel = kKernel;
  s.lambda = kLambda;
  s.beta = 0.5;
  s.p0 = 2;
  s.upload = protocol::UploadRule::kProjection;
  return std::make_shared<const Study>(s);
}

// A finished Branin run, shared by the tests of this file.
const ProtocolRun& finished_run() {
  static const auto problem = problems::make_branin();
  static ProtocolRun run(study(), *problem, {problems::NoiseKind::kGaussian, 0.2}, 11);
  static const bool done = (run.to_end(), true);
  (void)done;
  return run;
}

std::uint32_t num_closed() {
  return static_cast<std::uint32_t>(finished_run().coordinator().summary().epochs().size());
}

Points data_of(std::uint32_t epoch) { return stacked(finished_run().talk()[epoch - 1].points); }
Vector rewards_of(std::uint32_t epoch) { return stacked(finished_run().talk()[epoch - 1].rewards); }
const Points& inducing_of(std::uint32_t epoch) {
  return finished_run().view().inducing(EpochId{epoch}).features;
}
const region::Cut& cut_of(std::uint32_t epoch) {
  return *finished_run().view().region(EpochId{epoch + 1}).cuts()[epoch - 1];
}
Vector upload_of(const protocol::Upload& upload) {
  return Eigen::Map<const Vector>(upload.values.data(),
                                  static_cast<Eigen::Index>(upload.values.size()));
}

TEST(PaperAlgorithm, TheRunIsWorthLookingAt) {
  ASSERT_EQ(num_closed(), 3U);  // T = 40, T1 = 4: 4, 12, 21, 3, and the last one sends nothing
  for (std::uint32_t epoch = 1; epoch <= num_closed(); ++epoch) {
    EXPECT_EQ(finished_run().talk()[epoch - 1].uploads.size(), 5U);
    const auto& before = finished_run().view().region(EpochId{epoch}).survivors();
    const auto& after = finished_run().view().region(EpochId{epoch + 1}).survivors();
    EXPECT_LT(after.size(), before.size());
  }
}

// Equation (7): v^(n) = Z^T y. The library uploads u^(n) = K_{S,D_n} y_n, which is v^(n) in another
// basis: u = K_SS^{1/2} v. Rounding: up to 21 terms below 2 and a root of condition below 1e3.
TEST(PaperAlgorithm, ProjectionOfAnAgentsRewards) {
  for (std::uint32_t epoch = 1; epoch <= num_closed(); ++epoch) {
    const EpochTalk& talk = finished_run().talk()[epoch - 1];
    const Points& s = inducing_of(epoch);
    const LongMatrix root = naive_root(naive_cross(kKernel, s, s));
    for (std::size_t n = 0; n < talk.uploads.size(); ++n) {
      const LongVector v =
          naive_z(kKernel, s, talk.points[n]).transpose() * talk.rewards[n].cast<long double>();
      const LongVector u = root * v;
      ASSERT_EQ(static_cast<std::size_t>(u.size()), talk.uploads[n].values.size());
      EXPECT_LT((u - upload_of(talk.uploads[n]).cast<long double>()).cwiseAbs().maxCoeff(), 1e-12L)
          << "epoch " << epoch << ", agent " << n;
    }
  }
}

// "The summation equals the projection of the rewards of all agents."
TEST(PaperAlgorithm, ProjectionsAddUp) {
  for (std::uint32_t epoch = 1; epoch <= num_closed(); ++epoch) {
    Vector sum = Vector::Zero(inducing_of(epoch).rows());
    for (const protocol::Upload& upload : finished_run().talk()[epoch - 1].uploads) {
      sum += upload_of(upload);
    }
    const Vector all = gp::project(kKernel, inducing_of(epoch), data_of(epoch), rewards_of(epoch));
    EXPECT_LT((sum - all).cwiseAbs().maxCoeff(), 1e-12);
  }
}

// Equations (8) and (5): z_S(x)^T v-bar, computed from the agents' v alone, is the mean that the
// broadcast w gives. D_j holds this epoch's points only.
TEST(PaperAlgorithm, BroadcastMeanIsTheMeanOfThisEpochsData) {
  const Points x = study()->domain->candidates();
  for (std::uint32_t epoch = 1; epoch <= num_closed(); ++epoch) {
    const NaivePosterior naive =
        naive_sparse(kKernel, inducing_of(epoch), data_of(epoch), rewards_of(epoch), kLambda, x);
    const Vector mean = cut_of(epoch).sum_at(x);
    EXPECT_LT((naive.mean - mean.cast<long double>()).cwiseAbs().maxCoeff(), 1e-11L) << epoch;
    if (epoch == 1) continue;
    // The control: with the epoch before pooled in, the mean is another one.
    const Points data = stacked(std::vector<Points>{data_of(epoch - 1), data_of(epoch)});
    const Vector rewards = stacked(std::vector<Vector>{rewards_of(epoch - 1), rewards_of(epoch)});
    const NaivePosterior pooled =
        naive_sparse(kKernel, inducing_of(epoch), data, rewards, kLambda, x);
    EXPECT_GT((pooled.mean - mean.cast<long double>()).cwiseAbs().maxCoeff(), 1e-3L);
  }
}

// Algorithm 2, line 6: the supremum over X_j of the exact variance of D_j.
TEST(PaperAlgorithm, SupremumOfTheVariance) {
  for (std::uint32_t epoch = 1; epoch <= num_closed(); ++epoch) {
    const Points active = finished_run().view().region(EpochId{epoch}).surviving_points();
    const NaivePosterior naive =
        naive_exact(kKernel, data_of(epoch), rewards_of(epoch), kLambda, active);
    EXPECT_NEAR(finished_run().coordinator().summary().epochs()[epoch - 1].sigma2_max,
                static_cast<double>(naive.variance.maxCoeff()), 1e-12);
  }
}

// Equation (9), by brute force over the candidates: who stays, that the argmax does, and that the
// sets nest.
TEST(PaperAlgorithm, UpdateRule) {
  for (std::uint32_t epoch = 1; epoch <= num_closed(); ++epoch) {
    const region::Region& now = finished_run().view().region(EpochId{epoch});
    const region::Region& next = finished_run().view().region(EpochId{epoch + 1});
    const NaivePosterior naive = naive_sparse(kKernel, inducing_of(epoch), data_of(epoch),
                                              rewards_of(epoch), kLambda, now.surviving_points());
    const NaivePosterior exact =
        naive_exact(kKernel, data_of(epoch), rewards_of(epoch), kLambda, now.surviving_points());
    Eigen::Index best = 0;
    const long double threshold =
        naive.mean.maxCoeff(&best) - 2 * 0.5L * std::sqrt(exact.variance.maxCoeff());
    std::vector<std::uint32_t> expected;
    for (Eigen::Index i = 0; i < naive.mean.size(); ++i) {
      ASSERT_GT(std::abs(naive.mean[i] - threshold), 1e-10L) << "undecidable";
      if (naive.mean[i] >= threshold) {
        expected.push_back(now.survivors()[static_cast<std::size_t>(i)]);
      }
    }
    EXPECT_EQ(next.survivors(), expected) << "epoch " << epoch;
    EXPECT_TRUE(std::binary_search(next.survivors().begin(), next.survivors().end(),
                                   now.survivors()[static_cast<std::size_t>(best)]));
    EXPECT_TRUE(std::includes(now.survivors().begin(), now.survivors().end(),
                              next.survivors().begin(), next.survivors().end()));
  }
}

// Algorithm 2, line 4: the server reproduces the agents' points from their coins.
TEST(PaperAlgorithm, TheServerReproducesThePoints) {
  const auto secret = random::StudySecret::from_seed(11);
  for (std::uint32_t epoch = 1; epoch <= num_closed() + 1; ++epoch) {
    const EpochTalk& talk = finished_run().talk()[epoch - 1];
    for (std::uint32_t n = 0; n < 5; ++n) {
      const auto length = static_cast<std::uint32_t>(talk.points[n].rows());
      const region::Draw replay =
          finished_run()
              .view()
              .sampler(EpochId{epoch})
              .draw(secret.agent_coin(base::AgentId{n}), region::Lane::kPrivate,
                    {EpochId{epoch}, 0, length}, base::SerialExecutor());
      EXPECT_EQ(replay.latents, talk.points[n]);
      const auto membership = finished_run().view().region(EpochId{epoch}).contains(talk.points[n]);
      EXPECT_EQ(std::count(membership.inside.begin(), membership.inside.end(), 1), length);
    }
  }
}

}  // namespace
}  // namespace duets::paper
