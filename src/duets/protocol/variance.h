// The posterior variance of an epoch's points: which way it is computed, and its supremum.
#pragma once

#include <variant>

#include "duets/base/executor.h"
#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/dataset.h"
#include "duets/protocol/maximise.h"
#include "duets/protocol/report.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// Up to this many different points the posterior variance is dense and exact; beyond, it goes
/// through pivots and the report says so.
inline constexpr Eigen::Index kDenseLimit = 2048;

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

}  // namespace duets::protocol
