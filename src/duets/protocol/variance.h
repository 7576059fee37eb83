// The posterior variance of an epoch's points: chooses how to compute it, and finds its supremum.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "duets/base/executor.h"
#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/dataset.h"
#include "duets/protocol/maximise.h"
#include "duets/protocol/report.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// Up to this many distinct points the posterior variance is dense and exact.
inline constexpr Eigen::Index kDenseLimit = 2048;
/// Up to this many it is dense too if pivots do not help: more than a quarter would be needed.
inline constexpr Eigen::Index kDenseFallback = 8000;

/// The most pivots that are worth their cost for this many distinct points: 2000, and fewer beyond
/// 2e6 points, so that a sweep takes at most 1.6e13 operations. Up to kDenseFallback points: a
/// quarter of them.
std::size_t most_pivots(std::uint64_t num_rows);

/// Posterior variance of a dataset.
class VarianceModel {
 public:
  /// No data: the prior.
  explicit VarianceModel(const kernel::Kernel& kernel) : prior_(kernel.variance) {}
  VarianceModel(const kernel::Kernel& kernel, gp::ExactPosterior exact, std::uint64_t num_rows);
  VarianceModel(const kernel::Kernel& kernel, gp::SparsePosterior sparse);

  /// Adds the number of clamped variances to `num_clamped`.
  numeric::Vector operator()(const numeric::Points& features, std::uint64_t& num_clamped) const;

  /// The largest of these (at least one), cheaper where the path is exact.
  double largest(const numeric::Points& features, std::uint64_t& num_clamped) const;

  std::uint64_t rank() const { return rank_; }
  /// Largest residual that the pivots leave on any row of the data; 0 when exact.
  double residual() const { return residual_; }

 private:
  std::variant<std::monostate, gp::ExactPosterior, gp::SparsePosterior> model_;
  double prior_ = 1;
  std::uint64_t rank_ = 0;
  double residual_ = 0;
};

/// A model whose residual is tied to the supremum measured with it, and how it was found.
struct TiedVariance {
  VarianceModel model;
  double supremum = 0;
  VariancePath path = VariancePath::kExact;
  std::size_t num_sweeps = 0;  ///< over all rows; 0 when exact
};

/// Chooses the path by the data: dense where there are few points; through pivots whose residual is
/// at most 1 % of the supremum (0.2 % up to kDenseFallback rows); dense or approximate
/// (most_pivots) where that takes too many. The supremum is estimated on at most 16384 rows that
/// represent all, so one sweep over all is usually enough. `supremum` is the largest variance of a
/// model over the region; it is called a few times. The same bits in every process.
TiedVariance tied_variance(const kernel::Kernel& kernel, const Dataset& data, double lambda,
                           const std::function<double(const VarianceModel&)>& supremum,
                           const base::Executor& executor);

/// sup over X_j of the posterior variance of the dataset; fills the variance fields of the report.
/// `pool` as for maximise().
double variance_supremum(const Study& study, const kernel::Kernel& kernel, double lambda,
                         const Dataset& data, const region::Region& region,
                         const numeric::Points& pool, const base::Executor& executor,
                         EpochReport& report);

/// One sentence: which path, why, and how far the variance can be off.
std::string variance_reason(const EpochReport& report);

}  // namespace duets::protocol
