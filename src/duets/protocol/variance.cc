#include "duets/protocol/variance.h"

#include <algorithm>

#include "duets/numeric/cholesky.h"
#include "duets/numeric/rows.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

// Pivots are looked for among at most this many points, evenly spread; the sweep covers all.
constexpr std::size_t kPivotSample = 8192;
constexpr std::size_t kMaxRank = 4000;
// The residual of the pivots belongs well below what is measured (docs/decisions).
constexpr double kResidualShare = 0.01;

}  // namespace

VarianceModel::VarianceModel(const kernel::Kernel& kernel, const Dataset& data, double lambda,
                             double pivot_tolerance, const base::Executor& executor)
    : prior_(kernel.variance) {
  const std::uint64_t num_rows = data.blocks.num_rows();
  if (num_rows == 0) return;
  if (num_rows <= static_cast<std::uint64_t>(kDenseLimit)) {
    const gp::DataBlock rows = gp::whole(data.blocks, executor);
    model_.emplace<gp::ExactPosterior>(kernel, rows.points, rows.counts, lambda);
    rank_ = num_rows;
    return;
  }
  const Points sample = gp::spread_rows(data.blocks, kPivotSample, executor);
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
                                      data.blocks, lambda, executor);
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
                                ? model.largest(study.domain->features(pool), report.num_clamped)
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

}  // namespace duets::protocol
