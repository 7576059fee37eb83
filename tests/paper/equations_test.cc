// The equations of sections 2.1 and 2.2 of the paper against the library.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <string>
#include <vector>

#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "duets/problems/noise.h"
#include "naive_posterior.h"

namespace duets::paper {
namespace {

using kernel::Family;
using kernel::Kernel;
using numeric::Points;
using numeric::Vector;

constexpr double kEquationsLambda = 0.1;

Points lattice(Eigen::Index n, double shift) {
  Points points(n, 2);
  for (Eigen::Index k = 0; k < 2; ++k) {
    const double step = std::sqrt(static_cast<double>(k + 2) + 0.21);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double x = shift + step * static_cast<double>(i + 1);
      points(i, k) = x - std::floor(x);
    }
  }
  return points;
}

std::vector<Kernel> kernels() {
  return {{Family::kSquaredExponential, {0.3}, 1.0},
          {Family::kMatern12, {0.5}, 1.0},
          {Family::kMatern32, {0.4, 0.8}, 2.0},
          {Family::kMatern52, {0.4}, 0.5}};
}

const Points kData = lattice(14, 0.5);
const Points kInducing = kData.topRows(6);
const Points kProbes = lattice(25, 0.27);
const Vector kRewards = (3 * kData.col(0).array()).cos() + kData.col(1).array();

double largest(const LongVector& a, const Vector& b) {
  return static_cast<double>((a - b.cast<long double>()).cwiseAbs().maxCoeff());
}

// Means and variances here are below 3, condition numbers of K + lambda I below 200 and of K_SS
// below 50: 1e-13 leaves a factor of ten above (condition x epsilon).
constexpr double kTolerance = 1e-13;

TEST(PaperEquations, PosteriorMeanAndVariance) {
  for (const Kernel& kernel : kernels()) {
    SCOPED_TRACE(base::name_of(kernel.family));
    const NaivePosterior naive = naive_exact(kernel, kData, kRewards, kEquationsLambda, kProbes);
    const gp::ExactPosterior posterior(kernel, kData, Vector(), kEquationsLambda);
    EXPECT_LT(largest(naive.mean, posterior.mean(kProbes, kRewards)), kTolerance);
    EXPECT_LT(largest(naive.variance, posterior.variance(kProbes).variance), kTolerance);
  }
}

TEST(PaperEquations, InformationGain) {
  for (const Kernel& kernel : kernels()) {
    const auto m = kData.rows();
    const LongMatrix matrix =
        LongMatrix::Identity(m, m) +
        naive_cross(kernel, kData, kData) / static_cast<long double>(kEquationsLambda);
    const auto gain = static_cast<double>(std::log(matrix.fullPivLu().determinant()) / 2);
    EXPECT_NEAR(gp::ExactPosterior(kernel, kData, Vector(), kEquationsLambda).information_gain(),
                gain, 1e-13 * gain);
  }
}

// The library has no matrix square root: it must give the paper's z_S form all the same.
TEST(PaperEquations, ApproximatePosteriorMean) {
  for (const Kernel& kernel : kernels()) {
    SCOPED_TRACE(base::name_of(kernel.family));
    const NaivePosterior naive =
        naive_sparse(kernel, kInducing, kData, kRewards, kEquationsLambda, kProbes);
    const gp::SparsePosterior posterior(kernel, kInducing, kData, Vector(), kEquationsLambda,
                                        base::SerialExecutor());
    const Vector weights = posterior.weights(gp::project(kernel, kInducing, kData, kRewards));
    EXPECT_LT(largest(naive.mean, kernel::weighted_sum(kernel, kProbes, kInducing, weights)),
              kTolerance);
  }
}

// The paper writes "lambda s~^2 = ...". With lambda there, s~^2 would be a ridge leverage score
// (convention R) and could not stand beside the exact variance. The library's variance is the
// right-hand side (convention G), which for S = D is the exact variance.
TEST(PaperEquations, ApproximatePosteriorVarianceInConventionG) {
  for (const Kernel& kernel : kernels()) {
    SCOPED_TRACE(base::name_of(kernel.family));
    const base::SerialExecutor serial;
    const NaivePosterior naive =
        naive_sparse(kernel, kInducing, kData, kRewards, kEquationsLambda, kProbes);
    const Vector variance =
        gp::SparsePosterior(kernel, kInducing, kData, Vector(), kEquationsLambda, serial)
            .variance(kProbes)
            .variance;
    EXPECT_LT(largest(naive.variance, variance), kTolerance);

    const NaivePosterior all =
        naive_sparse(kernel, kData, kData, kRewards, kEquationsLambda, kProbes);
    const NaivePosterior exact = naive_exact(kernel, kData, kRewards, kEquationsLambda, kProbes);
    EXPECT_LT((all.variance - exact.variance).cwiseAbs().maxCoeff(), 1e-13L);
    EXPECT_LT((all.mean - exact.mean).cwiseAbs().maxCoeff(), 1e-13L);
    // The control: read literally, the printed left-hand side is off by 1/lambda.
    EXPECT_GT(
        (all.variance / static_cast<long double>(kEquationsLambda) - exact.variance).maxCoeff(),
        0.1L);
  }
}

// Lemma 2.5: |f(x) - mu(x)| <= beta(delta) sigma(x) fails with probability at most delta at a fixed
// x. 4000 draws of the noise: more than delta n + 5 sqrt(n delta (1 - delta)) failures have
// probability below 1e-6. The control: a twentieth of the width fails far more often than delta.
TEST(PaperLemmas, ConfidenceBoundOfAFixedPoint) {
  constexpr double kDelta = 0.1;
  constexpr int kRuns = 4000;
  const problems::Noise noise{problems::NoiseKind::kGaussian, 0.3};
  const random::Coin coin = random::StudySecret::from_seed(8).problem_coin();
  for (const Kernel& kernel : kernels()) {
    SCOPED_TRACE(base::name_of(kernel.family));
    // f = sum a_i k(., c_i) with its exact norm.
    const Points centers = lattice(5, 0.8);
    const Vector a{{1.0, -0.5, 0.7, 0.4, -1.0}};
    const double norm = std::sqrt(a.dot(kernel::gram(kernel, centers) * a));
    const Vector truth = kernel::weighted_sum(kernel, kData, centers, a);
    const Points x = kProbes.topRows(1);
    const double f = kernel::weighted_sum(kernel, x, centers, a)[0];
    const gp::ExactPosterior posterior(kernel, kData, Vector(), kEquationsLambda);
    const double stddev = std::sqrt(posterior.variance(x).variance[0]);
    const double beta = norm + noise.level * std::sqrt(2 / kEquationsLambda * std::log(2 / kDelta));
    int failures = 0;
    int narrow_failures = 0;
    for (int run = 0; run < kRuns; ++run) {
      Vector rewards = truth;
      for (Eigen::Index i = 0; i < rewards.size(); ++i) {
        rewards[i] += problems::draw_noise(noise, coin, base::AgentId{static_cast<unsigned>(i)},
                                           static_cast<std::uint32_t>(run));
      }
      const double error = std::abs(f - posterior.mean(x, rewards)[0]);
      failures += error > beta * stddev ? 1 : 0;
      narrow_failures += error > 0.05 * beta * stddev ? 1 : 0;
    }
    EXPECT_LE(failures, kDelta * kRuns + 5 * std::sqrt(kRuns * kDelta * (1 - kDelta)));
    EXPECT_GT(narrow_failures, 2 * kDelta * kRuns);
  }
}

}  // namespace
}  // namespace duets::paper
