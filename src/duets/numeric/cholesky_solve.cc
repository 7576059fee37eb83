#include "duets/numeric/cholesky_solve.h"

#include <algorithm>

#include "duets/numeric/strict_simd.h"

namespace duets::numeric {
namespace {

using simd::kLanes;
using simd::Pack;

// Columns solved by substitution; wider systems are halved, and a product joins the halves.
constexpr Eigen::Index kNarrow = 32;
// Packs that are solved together, so that the others hide the latency of one.
constexpr std::size_t kGroup = 8;

// Forward substitution for G * kLanes rows.
template <std::size_t G>
void substitute(const Eigen::Ref<const Matrix>& lower, double* rows, Eigen::Index stride) {
  const Eigen::Index s = lower.rows();
  for (Eigen::Index j = 0; j < s; ++j) {
    Pack sum[G];
    for (std::size_t g = 0; g < G; ++g) sum[g] = simd::load(rows + j * stride + g * kLanes);
    for (Eigen::Index i = 0; i < j; ++i) {
      const double weight = lower(j, i);
      const double* known = rows + i * stride;
      for (std::size_t g = 0; g < G; ++g) {
        sum[g] = sum[g] - weight * simd::load(known + g * kLanes);
      }
    }
    const double scale = 1 / lower(j, j);
    for (std::size_t g = 0; g < G; ++g) simd::store(rows + j * stride + g * kLanes, sum[g] * scale);
  }
}

void substitute_one(const Eigen::Ref<const Matrix>& lower, double* row, Eigen::Index stride) {
  for (Eigen::Index j = 0; j < lower.rows(); ++j) {
    double sum = row[j * stride];
    for (Eigen::Index i = 0; i < j; ++i) sum = sum - lower(j, i) * row[i * stride];
    row[j * stride] = sum * (1 / lower(j, j));
  }
}

void solve_narrow(const Eigen::Ref<const Matrix>& lower, Eigen::Ref<Matrix> rows) {
  constexpr Eigen::Index kMany = kGroup * kLanes;
  const Eigen::Index stride = rows.outerStride();
  Eigen::Index row = 0;
  for (; row + kMany <= rows.rows(); row += kMany) {
    substitute<kGroup>(lower, rows.data() + row, stride);
  }
  for (; row + Eigen::Index{kLanes} <= rows.rows(); row += Eigen::Index{kLanes}) {
    substitute<1>(lower, rows.data() + row, stride);
  }
  for (; row < rows.rows(); ++row) substitute_one(lower, rows.data() + row, stride);
}

}  // namespace

void solve_rows(const Eigen::Ref<const Matrix>& lower, Eigen::Ref<Matrix> rows) {
  const Eigen::Index s = lower.rows();
  if (s <= kNarrow) {
    solve_narrow(lower, rows);
    return;
  }
  const Eigen::Index half = std::max(kNarrow, s / 2 / kNarrow * kNarrow);
  const Eigen::Index rest = s - half;
  solve_rows(lower.topLeftCorner(half, half), rows.leftCols(half));
  rows.rightCols(rest).noalias() -=
      rows.leftCols(half) * lower.bottomLeftCorner(rest, half).transpose();
  solve_rows(lower.bottomRightCorner(rest, rest), rows.rightCols(rest));
}

}  // namespace duets::numeric
