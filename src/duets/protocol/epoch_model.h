// The coordinator's mathematics of one epoch: everything it computes alone and then transmits.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "duets/base/executor.h"
#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/history.h"
#include "duets/protocol/maximise.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/report.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// Up to this many different points the posterior variance is dense and exact; beyond, it goes
/// through pivots and the report says so.
inline constexpr Eigen::Index kDenseLimit = 2048;

/// How many points of the public stream suprema and acceptance are taken from on a continuous
/// domain.
inline constexpr std::uint32_t kSupremumPool = 2048;

/// The points that count, repeated ones collapsed on finite sets.
struct Dataset {
  numeric::Points features;
  numeric::Vector counts;
  std::uint64_t num_points = 0;  ///< with multiplicity
};

/// Pools the selections of all agents, in agent order. O(rows).
Dataset collect(const domain::Domain& domain, const std::vector<Selection>& selections);

/// Posterior variance of a dataset, dense or through pivots (kDenseLimit).
class VarianceModel {
 public:
  /// `pivot_tolerance`: residual at which pivots stop, for the low-rank path.
  VarianceModel(const kernel::Kernel& kernel, const Dataset& data, double lambda,
                double pivot_tolerance, const base::Executor& executor);

  /// Adds the number of clamped variances to `num_clamped`.
  numeric::Vector operator()(const numeric::Points& features, std::uint64_t& num_clamped) const;

  /// The largest of these (at least one), cheaper where the path is exact.
  double largest(const numeric::Points& features, std::uint64_t& num_clamped) const;

  VariancePath path() const;
  std::uint64_t rank() const { return rank_; }
  /// Largest residual that the pivots leave on the points looked at; 0 when exact.
  double residual() const { return residual_; }

 private:
  std::variant<std::monostate, gp::ExactPosterior, gp::SparsePosterior> model_;
  double prior_ = 1;
  std::uint64_t rank_ = 0;
  double residual_ = 0;
};

/// sup over X_j of the posterior variance of the dataset; fills the variance fields of the report.
/// `pool` as for maximise().
double variance_supremum(const Study& study, const kernel::Kernel& kernel, const Dataset& data,
                         const region::Region& region, const numeric::Points& pool,
                         const base::Executor& executor, EpochReport& report);

/// The probability with which a point joins S_j, before it is cut at 1: p0 sigma2_max, p0 ln(m)/m
/// for m points in this epoch (rate kCount), or the theorem's. m >= 1.
double inducing_probability(const Study& study, double sigma2_max, std::uint64_t num_points);

/// Chooses S_j and what agents shall upload; fills p, num_selected, num_inducing. `coins` are the
/// agents' coins, `histories` their points.
InducingSet choose_inducing(const Study& study, EpochId epoch, const PublicView& view,
                            const std::vector<random::Coin>& coins,
                            const std::vector<History>& histories, bool rewards_allowed,
                            EpochReport& report);

/// The points over which suprema on X_j are taken: all survivors of a finite set, otherwise
/// kSupremumPool public points.
numeric::Points supremum_pool(const PublicView& view, EpochId epoch);

/// w_j and how wide the cut is: what is computed outside the determinism boundary.
struct Solution {
  gp::SparsePosterior posterior;
  numeric::Vector weights;
  double width = 0;       ///< beta, or the theory's b~
  double max_stddev = 0;  ///< sigma_max, or the theory's max s~
};
/// From the summed projections; fills information_gain and mean_error. `report.sigma2_max` must be
/// known.
Solution solve_epoch(const Study& study, const ResolvedInducing& inducing, const Dataset& data,
                     const numeric::Vector& projection, const region::Region& region,
                     const numeric::Points& pool, const base::Executor& executor,
                     EpochReport& report);

/// tau_j and the point of largest mean, from numbers that are transmitted or recorded. Strict.
/// Fills width, max_stddev, max_mean, tau, best_point.
struct CutChoice {
  double tau = 0;
  numeric::Vector sums;  ///< finite sets: the mean, without the offset, at the survivors
};
CutChoice choose_cut(const ResolvedInducing& inducing, const numeric::Vector& weights, double width,
                     double max_stddev, const region::Region& region, const numeric::Points& pool,
                     EpochReport& report);

}  // namespace duets::protocol
