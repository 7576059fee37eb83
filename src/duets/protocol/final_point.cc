#include "duets/protocol/final_point.h"

#include <algorithm>
#include <cmath>

#include "duets/gp/low_rank.h"
#include "duets/numeric/rows.h"
#include "duets/protocol/decision.h"
#include "duets/protocol/epoch_model.h"
#include "duets/protocol/maximise.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

// Of a sample's points, those that were queried.
constexpr std::size_t kSampledQueries = 127;

Vector means_at(const ResolvedInducing& inducing, const Vector& weights, const Points& features) {
  return kernel::weighted_sum(inducing.model.kernel, features, inducing.features, weights);
}

}  // namespace

FinalPoint final_point_at(const gp::SparsePosterior& posterior, const Vector& weights,
                          const ResolvedInducing& inducing, const domain::Domain& domain,
                          const Vector& point) {
  const Points features = domain.features(Points(point.transpose()));
  FinalPoint answer;
  answer.point = point;
  answer.mean = means_at(inducing, weights, features)[0];
  answer.stddev = std::sqrt(posterior.variance(features).variance[0]);
  return answer;
}

FinalPointInput final_point_input(const PublicView& view, const ResolvedInducing& inducing,
                                  const gp::DataBlocks& latents, const Points& pool,
                                  const base::Executor& executor) {
  constexpr std::size_t kRows = kDecisionPoints / 4;
  FinalPointInput input;
  input.region = &view.region(base::EpochId{1});
  input.inducing = &inducing;
  input.data = gp::spread_rows(latents, kAnswerStarts, executor);
  input.last = gp::spread_rows(gp::blocks_of(pool), kRows, executor);
  const Points everywhere = supremum_pool(view, base::EpochId{1});
  input.everywhere = gp::spread_rows(gp::blocks_of(everywhere), 2 * kRows, executor);
  input.better_by = kBetterBy * std::sqrt(inducing.model.kernel.variance);
  return input;
}

void choose_for_answer(const domain::Domain& domain, const gp::DataBlocks& latents, double lambda,
                       ResolvedInducing& inducing, const base::Executor& executor) {
  const kernel::Kernel& kernel = inducing.model.kernel;
  const auto features = [&](const Points& points) { return domain.features(points); };
  const double residual = std::max(kAnswerResidual * lambda, gp::kPruneTolerance * kernel.variance);
  inducing.latents = gp::greedy_rows(kernel, latents, features, residual, kMostAnswering, executor);
  inducing.features = features(inducing.latents);
}

FinalPoint find_final_point(const gp::SparsePosterior& posterior, const Vector& weights,
                            const FinalPointInput& input, const random::Coin& coin,
                            base::EpochId epoch) {
  const ResolvedInducing& inducing = *input.inducing;
  const domain::Domain& domain = input.region->domain();
  const auto cautious = [&](const Points& features) -> Vector {
    return means_at(inducing, weights, features) -
           kCaution * posterior.variance(features).variance.cwiseSqrt();
  };
  // A finite set is not climbed: what is left of it may hold a better candidate than was queried.
  const Points starts = domain.is_finite() ? numeric::stacked(input.data, input.last) : input.data;
  const Supremum best = maximise(*input.region, starts, cautious);
  FinalPoint answer = final_point_at(posterior, weights, inducing, domain, best.latent);
  const base::SerialExecutor serial;
  DecisionInput samples;
  samples.answer = 0;
  const Points queried = gp::spread_rows(gp::blocks_of(input.data), kSampledQueries, serial);
  Points latents = best.latent.transpose();
  for (const Points* more : {&input.last, &queried, &input.everywhere}) {
    latents = numeric::stacked(latents, *more);
  }
  samples.features = domain.features(latents);
  samples.means = means_at(inducing, weights, samples.features);
  samples.floor = 1;
  samples.better_by = input.better_by;
  const Decision decision = decide(posterior, samples, coin, epoch);
  answer.shortfall = decision.shortfall;
  answer.missed = decision.missed;
  return answer;
}

void write_final_point(const FinalPoint& answer, const Solution& solution, double offset,
                       EpochReport& report) {
  report.best_point = answer.point;
  report.max_mean = answer.mean + offset;
  report.best_stddev = answer.stddev;
  report.shortfall = answer.shortfall;
  report.missed = answer.missed;
  report.width = solution.width;
  report.max_stddev = solution.max_stddev;
  report.tau = report.printed_tau = report.max_mean - 2 * solution.width * solution.max_stddev;
}

}  // namespace duets::protocol
