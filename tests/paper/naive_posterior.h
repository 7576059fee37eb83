// The paper's equations as they are printed, in long double and with explicit inverses: slow,
// sharing no code with the library but the kernel's parameters.
#pragma once

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::paper {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

/// k(a_i, b_j) by the formula and the library's exp.
LongMatrix naive_cross(const kernel::Kernel& kernel, const numeric::Points& a,
                       const numeric::Points& b);

/// A^-1 and A^-1/2 of a symmetric positive definite matrix (the latter by eigenvalues).
LongMatrix naive_inverse(const LongMatrix& a);
LongMatrix naive_inverse_root(const LongMatrix& a);
LongMatrix naive_root(const LongMatrix& a);

/// Means and variances at some points.
struct NaivePosterior {
  LongVector mean;
  LongVector variance;
};

/// Equations (3) and (4): posterior mean and variance.
NaivePosterior naive_exact(const kernel::Kernel& kernel, const numeric::Points& data,
                           const numeric::Vector& rewards, double lambda, const numeric::Points& x);

/// Equations (5) and (6) with z_S = K_SS^-1/2 k_S. `variance` is the right-hand side of (6), which
/// the paper calls lambda times the approximate variance.
NaivePosterior naive_sparse(const kernel::Kernel& kernel, const numeric::Points& inducing,
                            const numeric::Points& data, const numeric::Vector& rewards,
                            double lambda, const numeric::Points& x);

/// Z_{D,S}, one row a data point.
LongMatrix naive_z(const kernel::Kernel& kernel, const numeric::Points& inducing,
                   const numeric::Points& data);

}  // namespace duets::paper
