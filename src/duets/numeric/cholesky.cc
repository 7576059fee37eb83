#include "duets/numeric/cholesky.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "duets/base/error.h"

namespace duets::numeric {
namespace {

constexpr std::array kJitterSteps{0.0, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8};

// Only the lower triangle is read anywhere, so only it has to be finite.
bool lower_is_finite(const Matrix& a) {
  for (Eigen::Index j = 0; j < a.cols(); ++j) {
    if (!a.col(j).tail(a.rows() - j).allFinite()) return false;
  }
  return true;
}

// Replaces the lower triangle of `a` by its factor; false when a pivot fails or the arithmetic
// overflows. Eigen's own check lets a NaN pivot pass, hence the second test.
bool factor_in_place(Matrix& a) {
  const Eigen::LLT<Eigen::Ref<Matrix>> llt(a);
  return llt.info() == Eigen::Success && lower_is_finite(a);
}

// The next column of the factor, given the first `rank` ones. Plain loops instead of a matrix
// product: every entry is then the same sequence of roundings in every build, and so is the choice
// of pivots.
Vector next_column(const PivotedCholesky& partial, Eigen::Index rank, Eigen::Index pivot,
                   Vector column) {
  const Eigen::Index m = column.size();
  double* out = column.data();
  for (Eigen::Index k = 0; k < rank; ++k) {
    const double* known = partial.factor.col(k).data();
    const double weight = known[pivot];
    for (Eigen::Index i = 0; i < m; ++i) out[i] = out[i] - known[i] * weight;
  }
  const double root = std::sqrt(partial.residual[pivot]);
  column /= root;
  // Entries that are zero in exact arithmetic are set to zero, so that the rows of pivots stay
  // exact.
  for (const std::uint32_t chosen : partial.pivots) column[chosen] = 0;
  column[pivot] = root;
  return column;
}

void require_finite(const Vector& values, const std::string& field) {
  base::require(values.allFinite(), field, "not finite", "must be finite");
}

}  // namespace

CholeskyResult cholesky(Matrix a) {
  base::require(a.rows() == a.cols(), "a",
                std::to_string(a.rows()) + " x " + std::to_string(a.cols()), "must be square");
  CholeskyResult result;
  // It would fail anyway, but after nine attempts.
  if (!lower_is_finite(a)) return result;
  // The factor overwrites the lower triangle; the upper one and this diagonal keep the original.
  const Vector diagonal = a.diagonal();
  a.triangularView<Eigen::StrictlyUpper>() = a.transpose();
  for (const double step : kJitterSteps) {
    // The mean of an empty diagonal does not exist, and that of a huge one overflows.
    const double jitter = step == 0 ? 0.0 : step * diagonal.mean();
    if (step != 0) a.triangularView<Eigen::StrictlyLower>() = a.transpose();
    a.diagonal() = diagonal.array() + jitter;
    if (!factor_in_place(a)) continue;
    a.triangularView<Eigen::StrictlyUpper>().setZero();
    result.lower = std::move(a);
    result.jitter = jitter;
    result.ok = true;
    break;
  }
  return result;
}

PivotedCholesky pivoted_cholesky(const Vector& diagonal,
                                 const std::function<Vector(std::uint32_t)>& column,
                                 double tolerance, std::size_t max_rank) {
  base::require(tolerance >= 0, "tolerance", fmt::format("{}", tolerance), "must not be negative");
  require_finite(diagonal, "diagonal");
  const Eigen::Index m = diagonal.size();
  const auto limit = static_cast<Eigen::Index>(
      std::min(max_rank, static_cast<std::size_t>(std::max<Eigen::Index>(m, 0))));
  PivotedCholesky result;
  result.residual = diagonal.cwiseMax(0.0);
  result.factor.resize(m, 0);
  if (m == 0) return result;
  const double rounding = 4 * std::numeric_limits<double>::epsilon() * result.residual.maxCoeff();
  const double stop = std::max(tolerance, rounding);

  Eigen::Index rank = 0;
  for (; rank < limit; ++rank) {
    // max_element returns the first of equals: the lowest index.
    const double* begin = result.residual.data();
    const Eigen::Index pivot = std::max_element(begin, begin + m) - begin;
    if (!(result.residual[pivot] > stop)) break;
    Vector fresh = column(static_cast<std::uint32_t>(pivot));
    base::require(fresh.size() == m, "column", std::to_string(fresh.size()) + " entries",
                  "must have " + std::to_string(m));
    require_finite(fresh, "column");
    fresh = next_column(result, rank, pivot, std::move(fresh));
    // The factor grows by doubling: its final width is not known and may be far below `limit`.
    if (rank == result.factor.cols()) {
      result.factor.conservativeResize(m, std::min(limit, std::max<Eigen::Index>(16, 2 * rank)));
    }
    result.factor.col(rank) = fresh;
    result.residual = (result.residual - fresh.cwiseAbs2()).cwiseMax(0.0);
    result.residual[pivot] = 0;
    result.pivots.push_back(static_cast<std::uint32_t>(pivot));
  }
  result.factor.conservativeResize(m, rank);
  return result;
}

}  // namespace duets::numeric
