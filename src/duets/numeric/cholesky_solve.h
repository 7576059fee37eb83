// Solves many right-hand sides with one Cholesky factor.
#pragma once

#include "duets/numeric/matrix.h"

namespace duets::numeric {

/// Replaces the rows b_i^T of `rows` (n x s) by (L^-1 b_i)^T, by forward substitution. The vectors
/// lie in rows because lanes then run across them. `lower` is s x s; its strict upper triangle is
/// not read. O(n s^2), most of it in matrix products: best with 128 to 256 rows at a time, which
/// stay in the cache.
void solve_rows(const Eigen::Ref<const Matrix>& lower, Eigen::Ref<Matrix> rows);

}  // namespace duets::numeric
