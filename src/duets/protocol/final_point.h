// The recommendation of a run whose posterior rests on every query: the point with the best
// cautious value, anywhere in the domain.
#pragma once

#include "duets/base/executor.h"
#include "duets/base/ids.h"
#include "duets/domain/domain.h"
#include "duets/gp/data_blocks.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/report.h"
#include "duets/random/coin.h"
#include "duets/region/region.h"

namespace duets::protocol {

struct Solution;

/// A point's cautious value is its mean less this many posterior deviations: between summits of
/// about the same height the one that was measured wins over one that is only supposed.
inline constexpr double kCaution = 0.5;

/// The search starts at the best of this many queries, evenly spread.
inline constexpr std::size_t kAnswerStarts = 1024;

struct FinalPoint {
  numeric::Vector point;  ///< latent
  double mean = 0;        ///< with the reward offset in a report, without it elsewhere
  double stddev = 0;
  double shortfall = 0;  ///< expected: the best value anywhere less that at the point
  double missed = 0;     ///< chance that it is more than `better_by`

  double cautious() const { return mean - kCaution * stddev; }
};

struct FinalPointInput {
  const region::Region* region = nullptr;      ///< the whole domain
  const ResolvedInducing* inducing = nullptr;  ///< that the weights belong to
  numeric::Points data;                        ///< latents of queries, at least one
  numeric::Points last;                        ///< latents of the last region, at least one
  numeric::Points everywhere;                  ///< latents of the whole domain, likewise
  double better_by = 0;
};

/// From all queries of the run (latents) and the pool of the last region. Samples that say how good
/// the answer is are drawn where it was searched last, where it was searched at all, and
/// everywhere.
FinalPointInput final_point_input(const PublicView& view, const ResolvedInducing& inducing,
                                  const gp::DataBlocks& latents, const numeric::Points& pool,
                                  const base::Executor& executor);

/// Where somebody has all rewards, nobody has to send inducing points: chooses some of `latents`
/// that leave of a reward's variance at most this part of lambda, 1024 of them at most.
inline constexpr double kAnswerResidual = 1e-3;
inline constexpr std::size_t kMostAnswering = 1024;
void choose_for_answer(const domain::Domain& domain, const gp::DataBlocks& latents, double lambda,
                       ResolvedInducing& inducing, const base::Executor& executor);

/// Not strict: the answer is recorded. Samples as in decide().
FinalPoint find_final_point(const gp::SparsePosterior& posterior, const numeric::Vector& weights,
                            const FinalPointInput& input, const random::Coin& coin,
                            base::EpochId epoch);

/// Mean and deviation at a point; no shortfall.
FinalPoint final_point_at(const gp::SparsePosterior& posterior, const numeric::Vector& weights,
                          const ResolvedInducing& inducing, const domain::Domain& domain,
                          const numeric::Vector& point);

/// Fills what a report says of the end of a run.
void write_final_point(const FinalPoint& answer, const Solution& solution, double offset,
                       EpochReport& report);

}  // namespace duets::protocol
