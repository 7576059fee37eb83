// The posterior of one agent: a pool shared with other agents, and its own observations on top.
#pragma once

#include <cstddef>
#include <vector>

#include "duets/gp/arm_posterior.h"
#include "duets/gp/whitened_rows.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// The exact posterior given the pool's observations and a few of its own, which do not enter the
/// pool. Many overlays share one pool and its residual columns. The pool must outlive the overlay;
/// after the pool has observed something, call reset() before anything else (kInvalid otherwise).
class ArmOverlay {
 public:
  explicit ArmOverlay(ArmPosterior& pool);

  /// Forgets its own observations and starts from the pool's current state. O(M).
  void reset();

  /// Own observation; errors as ArmPosterior::observe. O(n M) for n own ones, when the pool has
  /// prepared the site.
  void observe(const Observation& one);

  const numeric::Vector& mean() const { return mean_; }          ///< M
  const numeric::Vector& variance() const { return variance_; }  ///< M, in [0, prior]
  /// The contribution of its own observations to ln det(I + K/lambda).
  double log_det_growth() const { return log_det_growth_; }

  /// Posterior at any points (n x d features). O(m (u^2 + n^2)) for m points.
  PointPosterior at(const numeric::Points& features) const;
  /// Variance at a site.
  double variance_at(std::size_t site);

 private:
  void check_pool() const;
  numeric::Vector whiten_site(std::size_t site, const ResidualColumn& column) const;
  void repeat_last(double reward);
  void append(const Observation& one);

  ArmPosterior* pool_;
  std::size_t pool_version_ = 0;
  WhitenedRows rows_;
  std::vector<std::size_t> row_sites_;
  numeric::Matrix row_white_;  // u x n: the own sites, whitened by the pool
  double last_count_ = 0;      // observations that the last own row represents
  double last_sum_ = 0;
  numeric::Vector mean_;
  numeric::Vector variance_;
  double log_det_growth_ = 0;
};

}  // namespace duets::gp
