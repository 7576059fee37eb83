#include "duets/gp/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/numeric/cholesky_solve.h"

namespace duets::gp {
namespace {

constexpr Eigen::Index kQueryBlock = 256;

}  // namespace

void require_positive(double value, const std::string& field) {
  base::require(std::isfinite(value) && value > 0, field, fmt::format("{}", value),
                "must be finite and positive");
}

void require_points(const numeric::Points& points, std::size_t dimension,
                    const std::string& field) {
  const auto columns = static_cast<std::size_t>(points.cols());
  if (columns != dimension) {
    base::refuse(field, fmt::format("{} columns", columns), fmt::format("must have {}", dimension));
  }
  base::require(points.allFinite(), field, "not finite", "coordinates must be finite");
}

void require_values(const numeric::Vector& values, std::size_t size, const std::string& field) {
  const auto entries = static_cast<std::size_t>(values.size());
  if (entries != size) {
    base::refuse(field, fmt::format("{} entries", entries), fmt::format("must have {}", size));
  }
  base::require(values.allFinite(), field, "not finite", "must be finite");
}

numeric::Vector checked_counts(const numeric::Vector& counts, std::size_t num_points) {
  if (counts.size() == 0) return numeric::Vector::Ones(static_cast<Eigen::Index>(num_points));
  require_values(counts, num_points, "counts");
  require_positive(counts.minCoeff(), "counts");
  return counts;
}

kernel::ScaledPoints scaled_rows(const kernel::Kernel& kernel, const numeric::Points& points,
                                 Eigen::Index first, Eigen::Index count) {
  return kernel::ScaledPoints(kernel, numeric::Points(points.middleRows(first, count)));
}

void whiten_rows(const Eigen::Ref<const numeric::Matrix>& lower, numeric::Matrix& rows) {
  numeric::solve_rows(lower, rows);
}

numeric::Vector squared_norms(const numeric::Matrix& rows) {
  numeric::Vector norms = numeric::Vector::Zero(rows.rows());
  for (Eigen::Index j = 0; j < rows.cols(); ++j) norms += rows.col(j).cwiseAbs2();
  return norms;
}

VarianceResult variance_in_blocks(
    const kernel::Kernel& kernel, const kernel::ScaledPoints& centers, const numeric::Points& x,
    const std::function<numeric::Vector(numeric::Matrix& cross)>& block_variance) {
  require_points(x, centers.dimension(), "x");
  VarianceResult result;
  result.variance.resize(x.rows());
  for (Eigen::Index first = 0; first < x.rows(); first += kQueryBlock) {
    const Eigen::Index count = std::min(kQueryBlock, x.rows() - first);
    numeric::Matrix cross = kernel::cross(kernel, scaled_rows(kernel, x, first, count), centers);
    result.variance.segment(first, count) = block_variance(cross);
  }
  if (!result.variance.allFinite()) {
    throw base::Error(base::ErrorKind::kNumeric, "a posterior variance is not a finite number");
  }
  for (double& variance : result.variance) {
    const double clamped = std::clamp(variance, 0.0, kernel.variance);
    if (clamped != variance) ++result.num_clamped;
    variance = clamped;
  }
  return result;
}

}  // namespace duets::gp
