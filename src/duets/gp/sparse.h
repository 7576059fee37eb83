// The sparse posterior on an inducing set, without a matrix square root.
//
//   M = lambda K_SS + K_SD K_DS,  w = M^-1 u,  u = K_SD y,  mu(x) = k_S(x)^T w
//   s2(x) = k(x,x) - k_S(x)^T K_SS^-1 k_S(x) + lambda k_S(x)^T M^-1 k_S(x)
//
// It equals the paper's z_S form exactly. Computed by whitening with the Cholesky factor of a
// pruned S: K_SS = L L^T, Z = L^-1 K_SD, ridge in whitened coordinates, w = L^-T v
// (docs/decisions).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duets/base/executor.h"
#include "duets/gp/data_blocks.h"
#include "duets/gp/exact.h"
#include "duets/gp/sparse_sweep.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// Relative to the kernel's variance: a point whose residual given the chosen ones is at most this
/// adds nothing that binary64 can represent.
inline constexpr double kPruneTolerance = 1e-10;

/// Indices of the rows of `candidates` that survive de-duplication and pruning: pivoted Cholesky
/// until the residual is <= tolerance * variance, in order of choice (largest residual first, ties
/// to the lowest index). At least one index when there is at least one candidate. O(n r^2).
std::vector<std::uint32_t> prune_to_pivots(const kernel::Kernel& kernel,
                                           const numeric::Points& candidates,
                                           double tolerance = kPruneTolerance);

/// Greedy choice among `candidates`: pivoted Cholesky until the residual is <= `residual`
/// (absolute), or `max_points` are taken. Ties to the lowest index. At least one index. O(n r^2).
std::vector<std::uint32_t> greedy_pivots(const kernel::Kernel& kernel,
                                         const numeric::Points& candidates, double residual,
                                         std::size_t max_points);

/// K_SD y: the projection an agent uploads. Strict, added in the order of D. O(s n d).
numeric::Vector project(const kernel::Kernel& kernel, const numeric::Points& inducing,
                        const numeric::Points& data, const numeric::Vector& rewards);

class SparsePosterior {
 public:
  /// `inducing` must be pruned already (prune_to_pivots). One sweep over the data
  /// (sparse_sweep.h): O(m s^2), never an m x m matrix and never an m x s one; the same bits for
  /// every executor. Throws kInvalid (naming the argument), and kNumeric when K_SS is singular in
  /// binary64 (not pruned) or the ridge cannot be factored.
  SparsePosterior(const kernel::Kernel& kernel, const numeric::Points& inducing,
                  const DataBlocks& data, double lambda, const base::Executor& executor);
  /// Rows in memory, m x d, with `counts` (empty: all 1).
  SparsePosterior(const kernel::Kernel& kernel, const numeric::Points& inducing,
                  const numeric::Points& data, const numeric::Vector& counts, double lambda,
                  const base::Executor& executor);
  /// From an existing sweep. O(s^3/3).
  SparsePosterior(Whitening whitening, Sweep swept, double lambda);

  /// w for a projection u = K_SD y (with multiplicity). Finite, or throws kNumeric.
  numeric::Vector weights(const numeric::Vector& projection) const;

  /// Posterior variance at x, the residual term k(x,x) - |z(x)|^2 included. O(n s^2).
  VarianceResult variance(const numeric::Points& x) const;

  /// Posterior covariance of the rows of x, n x n; its diagonal is variance(x) before clamping.
  /// O(n s^2 + n^2 (s + d)).
  numeric::Matrix covariance(const numeric::Points& x) const;

  /// 1/2 ln det(I + Z Z^T / lambda): the information gain of the data seen through S.
  double information_gain() const { return information_gain_; }

  /// The jitter added to lambda to make the ridge's factorisation succeed (0 when none).
  double jitter() const { return jitter_; }

  std::size_t num_inducing() const { return static_cast<std::size_t>(whitening_.rank()); }

  /// Largest k(x,x) - |z(x)|^2 over the data: what the inducing points do not represent.
  double largest_residual() const { return largest_residual_; }

 private:
  void factor_ridge(numeric::Matrix gram, double largest_residual);

  Whitening whitening_;
  double lambda_ = 0;
  numeric::Matrix ridge_lower_;  ///< factor of lambda I + Z Z^T
  double information_gain_ = 0;
  double jitter_ = 0;
  double largest_residual_ = 0;
};

}  // namespace duets::gp
