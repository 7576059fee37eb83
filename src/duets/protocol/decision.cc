#include "duets/protocol/decision.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/cholesky.h"

namespace duets::protocol {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

constexpr double kLowest = -std::numeric_limits<double>::infinity();
// Relative to the largest variance: neighbours in a smooth posterior are the same to rounding.
// After millions of queries in a small region rounding is far more of what is left of the prior: as
// much as it takes is added, a hundredth at most, which moves a sample by a tenth of a deviation.
constexpr double kJitter = 1e-9;
constexpr double kMostJitter = 1e-2;
// A part goes when losing it would cost less than this part of the shortfall; until then it keeps
// this share of its points. Samples of a model that learned from a few dozen rewards vary too
// little, and a category does not come back: for parts they deviate from the mean this many times
// as far.
constexpr double kPartLoss = 0.02;
constexpr double kPartShare = 0.25;
constexpr double kPartDoubt = 2;

/// The rows that stand for the region, by decreasing mean.
std::vector<Eigen::Index> ranked_rows(const Vector& means) {
  const Eigen::Index n = std::min(means.size(), kDecisionPoints);
  std::vector<Eigen::Index> rows(static_cast<std::size_t>(n));
  for (Eigen::Index i = 0; i < n; ++i) {
    rows[static_cast<std::size_t>(i)] = i * means.size() / n;
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return means[a] > means[b]; });
  return rows;
}

/// A sample in each column.
Matrix sampled(const gp::SparsePosterior& posterior, const Points& features, const Vector& means,
               const random::Coin& coin, base::EpochId epoch) {
  const Eigen::Index n = means.size();
  const Matrix covariance = posterior.covariance(features);
  const double largest = covariance.diagonal().maxCoeff();
  if (!(largest > 0)) return means.replicate(1, kDecisionSamples);
  const auto factored = [&](double jitter) {
    Matrix with_jitter = covariance;
    with_jitter.diagonal().array() += jitter * largest;
    return numeric::cholesky(std::move(with_jitter));
  };
  numeric::CholeskyResult factor = factored(kJitter);
  for (double jitter = 10 * kJitter; !factor.ok && jitter <= 2 * kMostJitter; jitter *= 10) {
    factor = factored(jitter);
  }
  // All of what is left is rounding.
  if (!factor.ok) return means.replicate(1, kDecisionSamples);
  Matrix normals(n, kDecisionSamples);
  for (std::uint32_t s = 0; s < kDecisionSamples; ++s) {
    coin.normals({.purpose = random::Purpose::kSample, .epoch = base::value(epoch), .slot = s},
                 {normals.col(s).data(), static_cast<std::size_t>(n)});
  }
  Matrix f = factor.lower.triangularView<Eigen::Lower>() * normals;
  f.colwise() += means;
  return f;
}

/// Expected costs of keeping the first k points, at k - 1.
struct Costs {
  Vector keeping;  ///< the best less the mean of those kept
  Vector losing;   ///< the best less the best of those kept
};

Costs costs_of(const Matrix& f) {
  const Eigen::Index n = f.rows();
  Costs costs{Vector::Zero(n), Vector::Zero(n)};
  for (Eigen::Index s = 0; s < f.cols(); ++s) {
    const double best = f.col(s).maxCoeff();
    double sum = 0;
    double kept = kLowest;
    for (Eigen::Index k = 0; k < n; ++k) {
      sum += f(k, s);
      kept = std::max(kept, f(k, s));
      costs.keeping[k] += best - sum / static_cast<double>(k + 1);
      costs.losing[k] += best - kept;
    }
  }
  const auto num_samples = static_cast<double>(f.cols());
  costs.keeping /= num_samples;
  costs.losing /= num_samples;
  return costs;
}

Eigen::Index cheapest(const Costs& costs, const DecisionInput& input) {
  const Eigen::Index n = costs.losing.size();
  const auto count = [n](double share) {
    return std::clamp<Eigen::Index>(
        static_cast<Eigen::Index>(std::ceil(share * static_cast<double>(n) - 1e-6)), 1, n);
  };
  const Eigen::Index lowest = count(input.floor);
  const Eigen::Index highest = std::max(lowest, count(input.cap));
  const Vector total = input.next * costs.keeping + input.rest * costs.losing;
  Eigen::Index best = 0;
  total.segment(lowest - 1, highest - lowest + 1).minCoeff(&best);
  return lowest + best;
}

/// What the best of the region is expected to lose without each part.
std::vector<double> part_losses(const Matrix& f, const domain::Partition& parts,
                                std::size_t num_parts) {
  std::vector<double> losses(num_parts, 0.0);
  for (Eigen::Index s = 0; s < f.cols(); ++s) {
    std::vector<double> tops(num_parts, kLowest);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      tops[parts[i]] = std::max(tops[parts[i]], f(static_cast<Eigen::Index>(i), s));
    }
    const auto best = std::max_element(tops.begin(), tops.end());
    const double top = std::exchange(*best, kLowest);
    const double second = *std::max_element(tops.begin(), tops.end());
    losses[static_cast<std::size_t>(best - tops.begin())] += top - second;
  }
  for (double& loss : losses) loss /= static_cast<double>(f.cols());
  return losses;
}

/// How many of the first points hold a share of every part that may still have the best point.
Eigen::Index needed_by_parts(const Matrix& f, const Vector& means, const domain::Partition& parts,
                             double shortfall) {
  const Matrix doubted = kPartDoubt * f - (kPartDoubt - 1) * means.replicate(1, f.cols());
  const std::size_t num_parts = *std::max_element(parts.begin(), parts.end()) + std::size_t{1};
  std::vector<double> wanted(num_parts, 0.0);
  for (const std::uint32_t part : parts) wanted[part] += kPartShare;
  wanted[parts.front()] = 0;  // that of the largest mean is not about to be lost
  const std::vector<double> losses = part_losses(doubted, parts, num_parts);
  Eigen::Index needed = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    double& open = wanted[parts[i]];
    if (open <= 0 || losses[parts[i]] <= kPartLoss * shortfall) continue;
    needed = static_cast<Eigen::Index>(i) + 1;
    open -= 1;
  }
  return needed;
}

}  // namespace

Decision decide(const gp::SparsePosterior& posterior, const DecisionInput& input,
                const random::Coin& coin, base::EpochId epoch) {
  const std::vector<Eigen::Index> rows = ranked_rows(input.means);
  const auto n = static_cast<Eigen::Index>(rows.size());
  Points features(n, input.features.cols());
  Vector means(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index row = rows[static_cast<std::size_t>(i)];
    features.row(i) = input.features.row(row);
    means[i] = input.means[row];
  }
  const Matrix f = sampled(posterior, features, means, coin, epoch);
  const Costs costs = costs_of(f);
  Decision decision;
  const auto answer = std::find(rows.begin(), rows.end(), input.answer);
  const Eigen::Index answered = answer == rows.end() ? 0 : answer - rows.begin();
  const Eigen::RowVectorXd shortfalls = f.colwise().maxCoeff() - f.row(answered);
  decision.shortfall = shortfalls.mean();
  decision.missed = (shortfalls.array() > input.better_by).cast<double>().mean();
  Eigen::Index kept = cheapest(costs, input);
  for (const domain::Partition& partition : input.partitions) {
    domain::Partition parts;
    for (const Eigen::Index row : rows) {
      parts.push_back(partition.at(static_cast<std::size_t>(row)));
    }
    kept = std::max(kept, needed_by_parts(f, means, parts, decision.shortfall));
  }
  decision.share = static_cast<double>(kept) / static_cast<double>(n);
  decision.lost = costs.losing[kept - 1];
  const Eigen::RowVectorXd losses = f.colwise().maxCoeff() - f.topRows(kept).colwise().maxCoeff();
  decision.lost_chance = (losses.array() > input.better_by).cast<double>().mean();
  return decision;
}

}  // namespace duets::protocol
