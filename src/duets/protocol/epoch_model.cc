#include "duets/protocol/epoch_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "duets/base/error.h"
#include "duets/domain/parts.h"
#include "duets/gp/confidence.h"
#include "duets/gp/explained.h"
#include "duets/gp/low_rank.h"
#include "duets/numeric/rows.h"
#include "duets/protocol/mean_error.h"
#include "duets/protocol/short_weights.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr std::size_t kMaxGreedy = 4000;
constexpr double kGreedyShare = 0.1;
constexpr std::size_t kExplainedSample = 2048;
/// A threshold is a multiple of this many halvings of the largest deviation, rounded down: what the
/// floor keeps stays.
constexpr int kTauBits = 5;

Points features_of(const Study& study, const Points& latents) {
  return study.domain->features(latents);
}

// Chooses inducing points from the public pool. Where there are too many data, a sample represents
// them, each of its points several.
std::vector<std::uint32_t> explaining_slots(const Study& study, EpochId epoch,
                                            const PublicView& view, const Replay& replay,
                                            const kernel::Kernel& kernel, double lambda) {
  const gp::DataBlocks latents = replay.latents();
  const Points data = gp::spread_rows(latents, kExplainedSample, view.executor());
  const double thinned = static_cast<double>(data.rows()) / static_cast<double>(latents.num_rows());
  const Points candidates = view.public_candidates(epoch);
  std::vector<std::uint32_t> slots = gp::explaining_rows(
      kernel, features_of(study, candidates), features_of(study, data),
      kExplainedGain * thinned * lambda, recalls_all(study, epoch) ? kMostPublic : kPublicPool);
  std::ranges::sort(slots);
  return slots;
}

// A threshold that keeps this share of the means and no more; halfway to the first mean that is
// dropped, so that no decision is closer than necessary. One may always be dropped: otherwise a
// share above a half would keep the last two candidates of a finite set for the rest of the run.
double floor_threshold(const Vector& means, double share) {
  std::vector<double> sorted(means.data(), means.data() + means.size());
  // A share that is a whole number of points except for rounding is that number.
  const double wanted = std::ceil(share * static_cast<double>(sorted.size()) - 1e-6);
  const std::size_t most = std::max<std::size_t>(1, sorted.size() - 1);
  const auto kept = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, most);
  const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(kept - 1);
  std::nth_element(sorted.begin(), place, sorted.end(), std::greater<>());
  if (kept == sorted.size()) return *place;
  return *place + 0.5 * (*std::max_element(place + 1, sorted.end()) - *place);
}

}  // namespace

double inducing_probability(const Study& study, EpochId epoch, double sigma2_max,
                            std::uint64_t num_points) {
  if (study.mode == Mode::kTheory) {
    // The theory's constant belongs to leverage scores, which are variances over lambda.
    return gp::theory_p0(theory_inputs(study, epoch)) * (sigma2_max / study.lambda);
  }
  if (study.rate == CoinRate::kVariance) return study.p0 * sigma2_max;
  const auto m = static_cast<double>(num_points);
  return study.p0 * std::log(m) / m;
}

InducingSet choose_inducing(const Study& study, EpochId epoch, const PublicView& view,
                            const Replay& replay, const RewardWish& rewards, double sigma2_max,
                            EpochReport& report) {
  InducingSet set;
  set.epoch = epoch;
  if (rewards.only) {
    set.upload = UploadKind::kRewards;
    return set;
  }
  const kernel::Kernel& kernel = view.model(epoch).kernel;
  const auto features = [&](const Points& latents) { return features_of(study, latents); };
  // Never finer than what pruning would leave: a tiny lambda makes sigma2_max tiny too.
  const double residual =
      std::max(kGreedyShare * sigma2_max, gp::kPruneTolerance * kernel.variance);
  if (study.inducing == Inducing::kCoin) {
    report.p_unclipped =
        inducing_probability(study, epoch, sigma2_max, std::uint64_t{study.agents} * report.length);
    report.p = std::min(1.0, report.p_unclipped);
    const Replay::Chosen chosen = replay.throw_coins(report.p);
    report.num_selected = chosen.num_rows;
    set.points = gp::greedy_rows(kernel, gp::blocks_of(chosen.latents), features,
                                 gp::kPruneTolerance * kernel.variance,
                                 static_cast<std::size_t>(chosen.latents.rows()), view.executor());
  } else if (study.inducing == Inducing::kGreedy) {
    set.points =
        gp::greedy_rows(kernel, replay.latents(), features, residual, kMaxGreedy, view.executor());
    report.num_selected = static_cast<std::uint64_t>(set.points.rows());
  } else {
    set.public_slots = explaining_slots(study, epoch, view, replay, kernel, report.lambda);
    report.num_selected = set.public_slots.size();
  }
  report.num_inducing = set.public_slots.empty() ? static_cast<std::uint64_t>(set.points.rows())
                                                 : set.public_slots.size();
  const bool shorter =
      bits_of(study, true) * report.length < bits_of(study, false) * report.num_inducing;
  const bool chosen = study.upload == UploadRule::kRewards || rewards.wanted ||
                      (study.upload == UploadRule::kAuto && shorter);
  set.upload = chosen && rewards.allowed ? UploadKind::kRewards : UploadKind::kProjection;
  if (set.upload == UploadKind::kRewards && keeps_inducing(study)) set.public_slots.clear();
  return set;
}

void choose_for_cut(const Study& study, const PublicView& view, const Replay& replay, double lambda,
                    ResolvedInducing& inducing) {
  const EpochId epoch = inducing.message.epoch;
  inducing.message.public_slots =
      explaining_slots(study, epoch, view, replay, inducing.model.kernel, lambda);
  inducing.latents = view.public_latents(epoch, inducing.message.public_slots);
  inducing.features = features_of(study, inducing.latents);
}

Points supremum_pool(const PublicView& view, EpochId epoch) {
  const region::Region& region = view.region(epoch);
  return region.domain().is_finite() ? region.surviving_points()
                                     : view.public_points(epoch, kSupremumPool).latents;
}

Solution solve_epoch(const Study& study, const ResolvedInducing& inducing, const Dataset& data,
                     const Vector& projection, const region::Region& region, const Points& pool,
                     const base::Executor& executor, EpochReport& report) {
  const kernel::Kernel& kernel = inducing.model.kernel;
  gp::SparsePosterior posterior(kernel, inducing.features, data.blocks, report.lambda, executor);
  Vector weights = posterior.weights(projection);
  report.information_gain = posterior.information_gain();
  report.mean_error = estimated_mean_error(kernel, weights);
  double width = study.beta;
  double max_stddev = std::sqrt(report.sigma2_max);
  if (study.mode == Mode::kTheory) {
    width = gp::sparse_beta(theory_inputs(study, inducing.message.epoch));
    const auto variance = [&](const Points& features) {
      gp::VarianceResult result = posterior.variance(features);
      report.num_clamped += result.num_clamped;
      return result.variance;
    };
    max_stddev = std::sqrt(maximise(region, pool, variance).value);
  }
  CutForm cut{{}, inducing.features, weights};
  return {std::move(posterior), std::move(weights), std::move(cut), width, max_stddev};
}

CutForm cut_form(const PublicView& view, const ResolvedInducing& inducing, const Trim& trim) {
  CutForm form{trim.public_slots, inducing.features, trim.weights, trim.format};
  if (!trim.public_slots.empty()) {
    form.features =
        view.study().domain->features(view.public_latents(trim.epoch, trim.public_slots));
  }
  return form;
}

namespace {

// The threshold that these means would give, before the largest one is searched for.
double expected_tau(const Study& study, EpochId epoch, const Solution& solution,
                    const Vector& means) {
  if (study.cut == CutRule::kDecision) return floor_threshold(means, solution.decision.share);
  const double tau = means.maxCoeff() - 2 * solution.width * solution.max_stddev;
  const double share = kept_share(study, epoch);
  return share > 0 ? std::min(tau, floor_threshold(means, share)) : tau;
}

}  // namespace

void shorten(const PublicView& view, const ResolvedInducing& inducing, const Points& pool,
             Solution& solution, EpochReport& report) {
  const EpochId epoch = inducing.message.epoch;
  const kernel::Kernel& kernel = inducing.model.kernel;
  const Study& study = view.study();
  MeanToSend mean;
  mean.points =
      features_of(study, gp::spread_rows(gp::blocks_of(pool), kSupremumPool, view.executor()));
  mean.means = kernel::weighted_sum(kernel, mean.points, inducing.features, solution.weights);
  const double tau = expected_tau(study, epoch, solution, mean.means);
  // A deviation of nothing would ask for weights without any error.
  mean.most = near_enough(mean.means, tau,
                          std::max(solution.max_stddev, 1e-9 * std::sqrt(kernel.variance)));
  const Points centers = features_of(study, view.public_points(epoch, kPublicPool).latents);
  ShortWeights found = sparse_weights(kernel, mean, centers);
  const bool is_sent = view.inducing(epoch).latents.rows() > 0;
  ShortWeights all;
  if (is_sent || found.size == 0) {
    all = shorten_weights(kernel, mean, inducing.features, solution.weights);
  }
  if (found.size > 0 && (!is_sent || found.size < all.size)) {
    solution.cut = {found.chosen, numeric::select_rows(centers, found.chosen), found.weights,
                    found.format};
  } else {
    solution.cut = {is_sent ? std::vector<std::uint32_t>{} : inducing.message.public_slots,
                    inducing.features, all.weights, all.format};
  }
  report.mean_error = estimated_mean_error(kernel, solution.cut.weights);
}

bool draws_samples(const Study& study, EpochId epoch) {
  if (study.cut == CutRule::kDecision || recalls_all(study, epoch)) return true;
  return study.parameters == Parameters::kLearned && closes(study, epoch);
}

Decision decide_cut(const Study& study, const ResolvedInducing& inducing, const Solution& solution,
                    const PublicView& view, const Points& pool) {
  const EpochId epoch = inducing.message.epoch;
  const std::vector<std::uint32_t> lengths = planned_lengths(study, epoch);
  const auto next = lengths.begin() + base::value(epoch);
  DecisionInput input;
  input.features = features_of(study, pool);
  input.means = kernel::weighted_sum(inducing.model.kernel, input.features, solution.cut.features,
                                     solution.cut.weights);
  input.better_by = kBetterBy * std::sqrt(inducing.model.kernel.variance);
  input.partitions = domain::partitions_of(*study.domain, pool, kMostParts, kFewValues);
  if (next == lengths.end()) {
    input.floor = 1;
  } else {
    input.floor = kept_share(study, epoch);
    input.cap = study.epoch_cap;
    input.next = *next;
    input.rest = std::accumulate(next + 1, lengths.end(), 0.0);
  }
  return decide(solution.posterior, input, view.public_coin(), epoch);
}

CutChoice choose_cut(const Study& study, const ResolvedInducing& inducing, const Solution& solution,
                     const region::Region& region, const Points& pool, EpochReport& report) {
  const kernel::Kernel& kernel = inducing.model.kernel;
  CutChoice choice;
  const kernel::ScaledPoints centers(kernel, solution.cut.features);
  const auto mean_at = [&](const Points& features) {
    Vector mean(features.rows());
    kernel::weighted_sum(
        kernel, kernel::ScaledPoints(kernel, features), centers,
        {solution.cut.weights.data(), static_cast<std::size_t>(solution.cut.weights.size())},
        {mean.data(), static_cast<std::size_t>(mean.size())});
    return mean;
  };
  Vector pool_means = mean_at(region.domain().features(pool));
  const Supremum best = maximise(region, pool, pool_means, mean_at);
  const double offset = inducing.model.reward_offset;
  choice.tau = best.value - 2 * solution.width * solution.max_stddev;
  report.printed_tau = choice.tau + offset;
  if (study.cut == CutRule::kDecision) {
    choice.tau = floor_threshold(pool_means, solution.decision.share);
    report.kept_share = solution.decision.share;
    report.lost = solution.decision.lost;
    report.lost_chance = solution.decision.lost_chance;
  } else if (const double share = kept_share(study, inducing.message.epoch); share > 0) {
    choice.tau = std::min(choice.tau, floor_threshold(pool_means, share));
  }
  if (solution.cut.format.numbers == Numbers::kShort && solution.max_stddev > 0) {
    choice.tau = round_down(choice.tau, std::ilogb(solution.max_stddev) - kTauBits);
  }
  report.shortfall = solution.decision.shortfall;
  report.missed = solution.decision.missed;
  report.width = solution.width;
  report.max_stddev = solution.max_stddev;
  report.max_mean = best.value + offset;
  report.tau = choice.tau + offset;
  report.best_point = best.latent;
  if (study.mode == Mode::kTheory) {
    // f(x*) <= mu~(x*) + w s and f(x) >= mu~(x) - w s >= tau - w s for every x that is kept.
    const double above_tau = best.value - choice.tau;
    report.gap_bound = std::min(above_tau + 2 * solution.width * solution.max_stddev,
                                2 * study.norm_bound * std::sqrt(kernel.variance));
  }
  if (region.domain().is_finite()) choice.sums = std::move(pool_means);
  return choice;
}

}  // namespace duets::protocol
