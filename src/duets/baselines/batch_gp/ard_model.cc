#include "duets/baselines/batch_gp/ard_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "duets/base/error.h"
#include "duets/numeric/cholesky.h"
#include "duets/problems/ascent.h"

namespace duets::baselines {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

namespace {

constexpr double kUsualNoise = 0.05;
constexpr double kNoisePriorVariance = 4;
constexpr double kScaleRange = 50;
constexpr double kLowestNoise = 1e-6;
constexpr double kHighestNoise = 10;
constexpr double kTolerance = 1e-3;  // of the log evidence
constexpr int kMaxAscentSteps = 30;

/// Process mean by generalised least squares, weights and variance, given L of K + noise I.
struct Profile {
  double mean = 0;
  double variance = 1;
  Vector weights;  // (K + noise I)^-1 (y - mean)
};

Vector solved(const Matrix& lower, Vector y) {
  lower.triangularView<Eigen::Lower>().solveInPlace(y);
  lower.triangularView<Eigen::Lower>().transpose().solveInPlace(y);
  return y;
}

Profile profile_of(const Matrix& lower, const Vector& rewards) {
  const Eigen::Index n = rewards.size();
  const Vector ones = solved(lower, Vector::Ones(n));
  Profile out;
  out.mean = ones.dot(rewards) / ones.sum();
  const Vector centred = rewards.array() - out.mean;
  out.weights = solved(lower, centred);
  out.variance = (centred.dot(out.weights) + 1) / static_cast<double>(n + 1);
  return out;
}

Vector to_vector(std::span<const double> x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace

/// What value and gradient share.
struct ArdEvidence::Factored {
  Matrix slope;  // (1 + a) exp(-a): the kernel's derivative but for 5/3 and the squares
  Matrix lower;
  bool ok = false;
};

ArdEvidence::ArdEvidence(const ScaleGroups& groups, const Points& features, Vector rewards)
    : groups_(groups), rewards_(std::move(rewards)) {
  const Eigen::Index n = features.rows();
  base::require(n >= 2 && rewards_.size() == n, "rewards", std::to_string(rewards_.size()),
                "must be one for each of at least two points");
  squares_.assign(groups.usual.size(), Matrix::Zero(n, n));
  for (Eigen::Index k = 0; k < features.cols(); ++k) {
    const Vector column = features.col(k);
    Matrix& out = squares_[groups.of_feature[static_cast<std::size_t>(k)]];
    for (Eigen::Index j = 0; j < n; ++j)
      out.col(j).array() += (column.array() - column[j]).square();
  }
}

ArdTheta ArdEvidence::usual() const {
  ArdTheta theta(static_cast<Eigen::Index>(groups_.usual.size() + 1));
  for (std::size_t g = 0; g < groups_.usual.size(); ++g) {
    theta[static_cast<Eigen::Index>(g)] = std::log(groups_.usual[g]);
  }
  theta[theta.size() - 1] = std::log(kUsualNoise);
  return theta;
}

void ArdEvidence::clamp(ArdTheta& theta) const {
  const ArdTheta middle = usual();
  const double range = std::log(kScaleRange);
  const Eigen::Index last = theta.size() - 1;
  for (Eigen::Index g = 0; g < last; ++g) {
    theta[g] = std::clamp(theta[g], middle[g] - range, middle[g] + range);
  }
  theta[last] = std::clamp(theta[last], std::log(kLowestNoise), std::log(kHighestNoise));
}

ArdEvidence::Factored ArdEvidence::factored(const ArdTheta& theta) const {
  const Eigen::Index n = rewards_.size();
  Matrix squared = Matrix::Zero(n, n);
  for (std::size_t g = 0; g < squares_.size(); ++g) {
    squared += std::exp(-2 * theta[static_cast<Eigen::Index>(g)]) * squares_[g];
  }
  const Matrix a = (5 * squared).array().sqrt();
  const Matrix decay = (-a).array().exp();
  Factored out;
  out.slope = (1 + a.array()) * decay.array();
  Matrix gram = out.slope.array() + 5 * squared.array() / 3 * decay.array();
  gram.diagonal().array() += std::exp(theta[theta.size() - 1]);
  numeric::CholeskyResult result = numeric::cholesky(std::move(gram));
  out.ok = result.ok;
  out.lower = std::move(result.lower);
  return out;
}

double ArdEvidence::value(const ArdTheta& theta) const {
  const Factored f = factored(theta);
  if (!f.ok) return -std::numeric_limits<double>::infinity();
  const Profile profile = profile_of(f.lower, rewards_);
  const auto n = static_cast<double>(rewards_.size());
  const Vector off = theta - usual();
  const Eigen::Index last = theta.size() - 1;
  return -(n + 1) / 2 * std::log(profile.variance) - f.lower.diagonal().array().log().sum() -
         off.head(last).squaredNorm() / 2 - off[last] * off[last] / (2 * kNoisePriorVariance);
}

// With M = alpha alpha^T / variance - A^-1 the derivative by a number that A depends on is
// sum_ij M_ij dA_ij / 2; mean and variance are at their best, so that they add nothing.
Vector ArdEvidence::gradient(const ArdTheta& theta) const {
  const Factored f = factored(theta);
  const Eigen::Index last = theta.size() - 1;
  if (!f.ok) return Vector::Zero(theta.size());
  const Profile profile = profile_of(f.lower, rewards_);
  const Eigen::Index n = rewards_.size();
  Matrix root = Matrix::Identity(n, n);
  f.lower.triangularView<Eigen::Lower>().solveInPlace(root);
  Matrix m = -(root.transpose() * root);
  m.noalias() += profile.weights * profile.weights.transpose() / profile.variance;
  Vector out = -(theta - usual());
  out[last] /= kNoisePriorVariance;
  const double noise = std::exp(theta[last]);
  out[last] += noise * m.trace() / 2;
  m.array() *= f.slope.array();
  for (Eigen::Index g = 0; g < last; ++g) {
    out[g] += 5.0 / 6 * std::exp(-2 * theta[g]) *
              m.cwiseProduct(squares_[static_cast<std::size_t>(g)]).sum();
  }
  return out;
}

ArdTheta ArdEvidence::best(const std::vector<ArdTheta>& starts) const {
  const problems::AscentProblem ascent{
      .value = [this](std::span<const double> x) { return value(to_vector(x)); },
      .gradient =
          [this](std::span<const double> x, std::span<double> out) {
            const Vector slope = gradient(to_vector(x));
            std::copy(slope.begin(), slope.end(), out.begin());
          },
      .project =
          [this](std::span<double> x) {
            ArdTheta theta = to_vector(x);
            clamp(theta);
            std::copy(theta.begin(), theta.end(), x.begin());
          },
      .first_step = 0.05,
      .tolerance = kTolerance,
      .max_steps = kMaxAscentSteps};
  problems::Summit top{.x = {}, .value = -std::numeric_limits<double>::infinity()};
  for (ArdTheta start : starts) {
    clamp(start);
    problems::Summit found = problems::climb(ascent, {start.begin(), start.end()});
    if (found.value > top.value || top.x.empty()) top = std::move(found);
  }
  return to_vector(top.x);
}

ArdModel::ArdModel(const ScaleGroups& groups, const ArdTheta& theta, const Points& features,
                   const Vector& rewards)
    : features_(features), noise_(std::exp(theta[theta.size() - 1])) {
  kernel_.family = kernel::Family::kMatern52;
  kernel_.lengthscales.clear();
  for (const std::size_t group : groups.of_feature) {
    kernel_.lengthscales.push_back(std::exp(theta[static_cast<Eigen::Index>(group)]));
  }
  Matrix gram = kernel::gram(kernel_, features);
  gram.diagonal().array() += noise_;
  numeric::CholeskyResult result = numeric::cholesky(std::move(gram));
  if (!result.ok) {
    throw base::Error(base::ErrorKind::kNumeric, "batch-gp: the kernel matrix cannot be factored");
  }
  lower_ = std::move(result.lower);
  Profile profile = profile_of(lower_, rewards);
  mean_ = profile.mean;
  variance_ = profile.variance;
  weights_ = std::move(profile.weights);
}

Vector ArdModel::mean(const Points& x) const {
  return kernel::weighted_sum(kernel_, x, features_, weights_).array() + mean_;
}

Matrix ArdModel::whiten(const Points& x) const {
  Matrix out = kernel::cross(kernel_, features_, x);
  lower_.triangularView<Eigen::Lower>().solveInPlace(out);
  return out;
}

}  // namespace duets::baselines
