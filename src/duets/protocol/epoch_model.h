// The coordinator's computations for one epoch, whose results it transmits.
#pragma once

#include <memory>
#include <vector>

#include "duets/base/executor.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/decision.h"
#include "duets/protocol/maximise.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/replay.h"
#include "duets/protocol/report.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// The number of points of the public stream over which suprema and acceptance are computed on a
/// continuous domain.
inline constexpr std::uint32_t kSupremumPool = 2048;

/// A public point of S_j must add at least this part of one reward's information
/// (docs/decisions/0026).
inline constexpr double kExplainedGain = 0.25;

/// The probability with which a point joins S_j, before clipping at 1: p0 sigma2_max, p0 ln(m)/m
/// for m points in this epoch (rate kCount), or the theorem's. m >= 1.
double inducing_probability(const Study& study, EpochId epoch, double sigma2_max,
                            std::uint64_t num_points);

/// Whether agents may send raw rewards, and whether they must even where a projection is shorter.
struct RewardWish {
  bool allowed = true;
  bool wanted = false;
  bool only = false;  ///< no one needs an inducing set: the epoch ends the run
};

/// Chooses S_j and the kind of upload; fills p, num_selected, num_inducing. `sigma2_max` is over
/// all points of the epoch; `report.length` and `report.lambda` must be known. Collective.
InducingSet choose_inducing(const Study& study, EpochId epoch, const PublicView& view,
                            const Replay& replay, const RewardWish& rewards, double sigma2_max,
                            EpochReport& report);

/// S_j where only the coordinator uses it: the model of its cut is known by then.
void choose_for_cut(const Study& study, const PublicView& view, const Replay& replay, double lambda,
                    ResolvedInducing& inducing);

/// The points over which suprema on X_j are taken: all survivors of a finite set, otherwise
/// kSupremumPool public points.
numeric::Points supremum_pool(const PublicView& view, EpochId epoch);

/// The mean as a Trim has it.
struct CutForm {
  std::vector<std::uint32_t> public_slots;  ///< its centers; empty: S_j
  numeric::Points features;                 ///< theirs
  numeric::Vector weights;
  NumberFormat format{};
};
CutForm cut_form(const PublicView& view, const ResolvedInducing& inducing, const Trim& trim);

/// w_j and the width of the cut: the results from outside the determinism boundary.
struct Solution {
  gp::SparsePosterior posterior;
  numeric::Vector weights;  ///< of S_j
  CutForm cut;              ///< the same mean, as it is sent
  double width = 0;         ///< beta, or the theory's b~
  double max_stddev = 0;    ///< sigma_max, or the theory's max s~
  Decision decision{};      ///< cut = "decision"
};
/// From the summed projections; fills information_gain and mean_error. `report.sigma2_max` and
/// `report.lambda` must be known.
Solution solve_epoch(const Study& study, const ResolvedInducing& inducing, const Dataset& data,
                     const numeric::Vector& projection, const region::Region& region,
                     const numeric::Points& pool, const base::Executor& executor,
                     EpochReport& report);

/// Makes `solution.cut` from its weights: rounded, and of other centers where that is shorter
/// (numbers = "short"); fills mean_error again.
void shorten(const PublicView& view, const ResolvedInducing& inducing, const numeric::Points& pool,
             Solution& solution, EpochReport& report);

/// What a recommendation may be worse by before it counts as missed (EpochReport::missed): this
/// part of the function's deviation, as the kernel has it.
inline constexpr double kBetterBy = 0.1;

/// Whether posterior samples say, in the report of an epoch that has one, what its cut or its
/// answer may have missed.
bool draws_samples(const Study& study, EpochId epoch);

/// Posterior samples over the pool decide how much of X_j to keep. Where a stage ends, which no cut
/// follows, all of it.
Decision decide_cut(const Study& study, const ResolvedInducing& inducing, const Solution& solution,
                    const PublicView& view, const numeric::Points& pool);

/// tau_j and the point of largest mean, from numbers that are transmitted or recorded. Strict. At
/// least `kept_share()` of the pool reaches tau_j; with cut = "decision" the decided share.
/// Fills width, max_stddev, max_mean, tau, printed_tau, best_point, kept_share, shortfall, lost,
/// missed, lost_chance, gap_bound.
struct CutChoice {
  double tau = 0;
  numeric::Vector sums;  ///< finite sets: the mean, without the offset, at the survivors
};
CutChoice choose_cut(const Study& study, const ResolvedInducing& inducing, const Solution& solution,
                     const region::Region& region, const numeric::Points& pool,
                     EpochReport& report);

}  // namespace duets::protocol
