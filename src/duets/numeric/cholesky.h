// Cholesky factorisations, plain and pivoted, that always report their outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "duets/numeric/matrix.h"

namespace duets::numeric {

/// Outcome of a Cholesky factorisation A + jitter I = L L^T.
struct CholeskyResult {
  Matrix lower;       ///< L; empty when `ok` is false
  double jitter = 0;  ///< added to the diagonal; 0 when nothing was
  bool ok = false;
};

/// Factors a symmetric positive definite matrix (its lower triangle is read). When a pivot fails, a
/// jitter of 1e-15, 1e-14, .. 1e-8 times the mean diagonal is tried, and the one used is reported.
/// Never returns NaN: `ok` is false when even the largest fails, or A is not finite (the zero
/// matrix fails; the empty one succeeds). Throws kInvalid when A is not square. O(n^3 / 3), in the
/// memory of `a`: move it here when it is large.
CholeskyResult cholesky(Matrix a);

/// A partial Cholesky factorisation with diagonal pivoting of a positive semidefinite m x m matrix
/// that is never formed.
struct PivotedCholesky {
  std::vector<std::uint32_t> pivots;  ///< r chosen indices, in order of choice
  Matrix factor;    ///< m x r, A ~ factor factor^T, exact in the rows of the pivots
  Vector residual;  ///< m, diagonal of A - factor factor^T, clamped to >= 0
};

/// Greedy: the next pivot is the largest residual diagonal (ties: lowest index), until the largest
/// residual is <= `tolerance` or `max_rank` pivots are taken. A tolerance below 4 epsilon times the
/// largest diagonal entry is raised to that: what is left below it is rounding.
/// `diagonal` has m entries; `column(i)` returns column i of A (m entries). Asks for r columns.
/// Throws kInvalid when the tolerance is negative, or the diagonal or a column is not finite or
/// does not have m entries. O(m r^2) time, O(m r) memory. Strict: the same diagonal and columns
/// give the same pivots and bits in every build.
PivotedCholesky pivoted_cholesky(const Vector& diagonal,
                                 const std::function<Vector(std::uint32_t)>& column,
                                 double tolerance, std::size_t max_rank);

}  // namespace duets::numeric
