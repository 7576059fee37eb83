#include "duets/protocol/epoch_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "duets/base/error.h"
#include "duets/gp/confidence.h"
#include "duets/numeric/cholesky.h"
#include "duets/numeric/rows.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

// Pivots are looked for among at most this many points, evenly spread; the sweep covers all.
constexpr Eigen::Index kPivotSample = 8192;
constexpr std::size_t kMaxRank = 4000;
// The residual of the pivots belongs well below what is measured (docs/decisions).
constexpr double kResidualShare = 0.01;
constexpr double kGreedyShare = 0.1;

Points spread_sample(const Points& points, Eigen::Index most) {
  if (points.rows() <= most) return points;
  Points sample(most, points.cols());
  for (Eigen::Index i = 0; i < most; ++i) sample.row(i) = points.row(i * points.rows() / most);
  return sample;
}

Points features_of(const Study& study, const Points& latents) {
  return study.domain->features(latents);
}

// The points of D_j, with multiplicity and in agent order, whose inducing coin falls below p; the
// one with the smallest coin when there is none.
Points throw_coins(EpochId epoch, const std::vector<random::Coin>& coins,
                   const std::vector<History>& histories, double p) {
  std::vector<const double*> chosen;
  const double* smallest = nullptr;
  double smallest_u = 2;
  Eigen::Index dimension = 0;
  for (std::size_t agent = 0; agent < coins.size(); ++agent) {
    const Points& latents = histories[agent].latents();
    dimension = latents.cols();
    for (Eigen::Index slot = 0; slot < latents.rows(); ++slot) {
      double u = 0;
      coins[agent].uniforms({.purpose = random::Purpose::kInducing,
                             .epoch = base::value(epoch),
                             .slot = static_cast<std::uint32_t>(slot)},
                            std::span(&u, 1));
      if (u < p) chosen.push_back(latents.row(slot).data());
      if (u < smallest_u) {
        smallest_u = u;
        smallest = latents.row(slot).data();
      }
    }
  }
  if (chosen.empty()) chosen.push_back(smallest);
  Points latents(static_cast<Eigen::Index>(chosen.size()), dimension);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::copy_n(chosen[i], dimension, latents.row(static_cast<Eigen::Index>(i)).data());
  }
  return latents;
}

// The latents of D_j, each different point once on finite sets, in the order of first appearance.
Points distinct_latents(const domain::Domain& domain, const std::vector<History>& histories,
                        const region::Region& region) {
  std::vector<std::uint8_t> seen(
      domain.is_finite() ? static_cast<std::size_t>(domain.candidates().rows()) : std::size_t{0});
  std::vector<Points> parts;
  Eigen::Index total = 0;
  for (const History& history : histories) {
    const Selection selection = history.select(region);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < selection.latents.rows(); ++row) {
      if (domain.is_finite() && seen[selection.indices[row]]++ != 0) continue;
      rows.push_back(row);
    }
    parts.push_back(numeric::select_rows(selection.latents, rows));
    total += parts.back().rows();
  }
  Points all(total, static_cast<Eigen::Index>(domain.dimension()));
  Eigen::Index row = 0;
  for (const Points& part : parts) {
    all.middleRows(row, part.rows()) = part;
    row += part.rows();
  }
  return all;
}

}  // namespace

double inducing_probability(const Study& study, double sigma2_max, std::uint64_t num_points) {
  if (study.mode == Mode::kTheory) {
    // The theory's constant belongs to leverage scores, which are variances over lambda.
    return gp::theory_p0(theory_inputs(study)) * (sigma2_max / study.lambda);
  }
  if (study.rate == CoinRate::kVariance) return study.p0 * sigma2_max;
  const auto m = static_cast<double>(num_points);
  return study.p0 * std::log(m) / m;
}

Dataset collect(const domain::Domain& domain, const std::vector<Selection>& selections) {
  Dataset data;
  if (!domain.is_finite()) {
    for (const Selection& s : selections)
      data.num_points += static_cast<std::uint64_t>(s.latents.rows());
    Points latents(static_cast<Eigen::Index>(data.num_points),
                   static_cast<Eigen::Index>(domain.dimension()));
    Eigen::Index row = 0;
    for (const Selection& s : selections) {
      latents.middleRows(row, s.latents.rows()) = s.latents;
      row += s.latents.rows();
    }
    data.features = domain.features(latents);
    data.counts = Vector::Ones(data.features.rows());
    return data;
  }
  std::vector<std::uint32_t> tally(static_cast<std::size_t>(domain.candidates().rows()));
  for (const Selection& s : selections) {
    for (const std::uint32_t index : s.indices) ++tally[index];
    data.num_points += s.indices.size();
  }
  std::vector<std::uint32_t> present;
  for (std::uint32_t i = 0; i < tally.size(); ++i) {
    if (tally[i] > 0) present.push_back(i);
  }
  data.features = domain.features(numeric::select_rows(domain.candidates(), present));
  data.counts.resize(static_cast<Eigen::Index>(present.size()));
  for (std::size_t i = 0; i < present.size(); ++i) {
    data.counts[static_cast<Eigen::Index>(i)] = tally[present[i]];
  }
  return data;
}

VarianceModel::VarianceModel(const kernel::Kernel& kernel, const Dataset& data, double lambda,
                             double pivot_tolerance, const base::Executor& executor)
    : prior_(kernel.variance) {
  if (data.features.rows() == 0) return;
  if (data.features.rows() <= kDenseLimit) {
    model_.emplace<gp::ExactPosterior>(kernel, data.features, data.counts, lambda);
    rank_ = static_cast<std::uint64_t>(data.features.rows());
    return;
  }
  const Points sample = spread_sample(data.features, kPivotSample);
  const kernel::ScaledPoints scaled(kernel, sample);
  const numeric::PivotedCholesky pivoted = numeric::pivoted_cholesky(
      Vector::Constant(sample.rows(), kernel.variance),
      [&](std::uint32_t i) -> Vector {
        return kernel::cross(kernel, scaled, kernel::ScaledPoints(kernel, sample.row(i)));
      },
      pivot_tolerance, kMaxRank);
  rank_ = pivoted.pivots.size();
  residual_ = pivoted.residual.maxCoeff();
  model_.emplace<gp::SparsePosterior>(kernel, numeric::select_rows(sample, pivoted.pivots),
                                      data.features, data.counts, lambda, executor);
}

Vector VarianceModel::operator()(const Points& features, std::uint64_t& num_clamped) const {
  if (std::holds_alternative<std::monostate>(model_)) {
    return Vector::Constant(features.rows(), prior_);
  }
  const gp::VarianceResult result = std::holds_alternative<gp::ExactPosterior>(model_)
                                        ? std::get<gp::ExactPosterior>(model_).variance(features)
                                        : std::get<gp::SparsePosterior>(model_).variance(features);
  num_clamped += result.num_clamped;
  return result.variance;
}

double VarianceModel::largest(const Points& features, std::uint64_t& num_clamped) const {
  if (!std::holds_alternative<gp::ExactPosterior>(model_)) {
    return (*this)(features, num_clamped).maxCoeff();
  }
  const gp::LargestVariance result =
      std::get<gp::ExactPosterior>(model_).largest_variance(features);
  num_clamped += result.num_clamped;
  return result.variance;
}

VariancePath VarianceModel::path() const {
  return std::holds_alternative<gp::SparsePosterior>(model_) ? VariancePath::kLowRank
                                                             : VariancePath::kExact;
}

double variance_supremum(const Study& study, const kernel::Kernel& kernel, const Dataset& data,
                         const region::Region& region, const Points& pool,
                         const base::Executor& executor, EpochReport& report) {
  double tolerance = 1e-3 * kernel.variance;
  // Finer pivots than these would be singular in binary64, and would not end.
  const double finest = gp::kPruneTolerance * kernel.variance;
  while (true) {
    const VarianceModel model(kernel, data, study.lambda, tolerance, executor);
    const double supremum = region.domain().is_finite()
                                ? model.largest(features_of(study, pool), report.num_clamped)
                                : maximise(region, pool, [&](const Points& features) {
                                    return model(features, report.num_clamped);
                                  }).value;
    report.variance_path = model.path();
    report.variance_rank = model.rank();
    report.variance_tolerance = model.residual();
    const bool fine = model.residual() <= kResidualShare * supremum || model.rank() >= kMaxRank ||
                      tolerance <= finest;
    if (model.path() == VariancePath::kExact || fine) return supremum;
    tolerance = std::max(finest, std::min(0.5 * tolerance, 0.5 * kResidualShare * supremum));
  }
}

InducingSet choose_inducing(const Study& study, EpochId epoch, const PublicView& view,
                            const std::vector<random::Coin>& coins,
                            const std::vector<History>& histories, bool rewards_allowed,
                            EpochReport& report) {
  InducingSet set;
  set.epoch = epoch;
  set.kernel = study.kernel;
  // Never finer than what pruning would leave: a tiny lambda makes sigma2_max tiny too.
  const double residual =
      std::max(kGreedyShare * report.sigma2_max_open, gp::kPruneTolerance * study.kernel.variance);
  if (study.inducing == Inducing::kCoin) {
    report.p_unclipped = inducing_probability(study, report.sigma2_max_open,
                                              std::uint64_t{study.agents} * report.length);
    report.p = std::min(1.0, report.p_unclipped);
    const Points chosen = throw_coins(epoch, coins, histories, report.p);
    report.num_selected = static_cast<std::uint64_t>(chosen.rows());
    set.points =
        numeric::select_rows(chosen, gp::prune_to_pivots(set.kernel, features_of(study, chosen)));
  } else if (study.inducing == Inducing::kGreedy) {
    const Points candidates = distinct_latents(*study.domain, histories, view.region(epoch));
    const auto pivots =
        gp::greedy_pivots(set.kernel, features_of(study, candidates), residual, kMaxRank);
    set.points = numeric::select_rows(candidates, pivots);
    report.num_selected = pivots.size();
  } else {
    const Points candidates = view.public_points(epoch, kPublicPool).latents;
    set.public_slots =
        gp::greedy_pivots(set.kernel, features_of(study, candidates), residual, kMaxRank);
    report.num_selected = set.public_slots.size();
  }
  report.num_inducing = set.public_slots.empty() ? static_cast<std::uint64_t>(set.points.rows())
                                                 : set.public_slots.size();
  const bool rewards_are_shorter = report.length < report.num_inducing;
  const bool rewards = study.upload == UploadRule::kRewards ||
                       (study.upload == UploadRule::kAuto && rewards_are_shorter);
  set.upload = rewards && rewards_allowed ? UploadKind::kRewards : UploadKind::kProjection;
  return set;
}

Points supremum_pool(const PublicView& view, EpochId epoch) {
  const region::Region& region = view.region(epoch);
  return region.domain().is_finite() ? region.surviving_points()
                                     : view.public_points(epoch, kSupremumPool).latents;
}

Solution solve_epoch(const Study& study, const ResolvedInducing& inducing, const Dataset& data,
                     const Vector& projection, const region::Region& region, const Points& pool,
                     const base::Executor& executor, EpochReport& report) {
  const kernel::Kernel& kernel = inducing.message.kernel;
  gp::SparsePosterior posterior(kernel, inducing.features, data.features, data.counts, study.lambda,
                                executor);
  Vector weights = posterior.weights(projection);
  report.information_gain = posterior.information_gain();
  report.mean_error =
      0x1p-52 * static_cast<double>(weights.size()) * kernel.variance * weights.lpNorm<1>();
  double width = study.beta;
  double max_stddev = std::sqrt(report.sigma2_max);
  if (study.mode == Mode::kTheory) {
    width = gp::sparse_beta(theory_inputs(study));
    const auto variance = [&](const Points& features) {
      gp::VarianceResult result = posterior.variance(features);
      report.num_clamped += result.num_clamped;
      return result.variance;
    };
    max_stddev = std::sqrt(maximise(region, pool, variance).value);
  }
  return {std::move(posterior), std::move(weights), width, max_stddev};
}

CutChoice choose_cut(const ResolvedInducing& inducing, const Vector& weights, double width,
                     double max_stddev, const region::Region& region, const Points& pool,
                     EpochReport& report) {
  const kernel::Kernel& kernel = inducing.message.kernel;
  CutChoice choice;
  const kernel::ScaledPoints centers(kernel, inducing.features);
  const Supremum best = maximise(region, pool, [&](const Points& features) {
    Vector mean(features.rows());
    kernel::weighted_sum(kernel, kernel::ScaledPoints(kernel, features), centers,
                         {weights.data(), static_cast<std::size_t>(weights.size())},
                         {mean.data(), static_cast<std::size_t>(mean.size())});
    if (region.domain().is_finite()) choice.sums = mean;
    return mean;
  });
  choice.tau = best.value - 2 * width * max_stddev;
  const double offset = inducing.message.reward_offset;
  report.width = width;
  report.max_stddev = max_stddev;
  report.max_mean = best.value + offset;
  report.tau = choice.tau + offset;
  report.best_point = best.latent;
  return choice;
}

}  // namespace duets::protocol
