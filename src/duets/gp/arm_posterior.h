// The exact posterior at all arms at once, kept up to date while rewards arrive.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "duets/gp/arms.h"
#include "duets/gp/whitened_rows.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// A reward seen at a site: an arm (by its index), or a point that add_site() was told of.
struct Observation {
  std::size_t site = 0;
  double reward = 0;
};

/// Posterior at any points. Variances lie in [0, prior].
struct PointPosterior {
  numeric::Vector mean;
  numeric::Vector variance;
};

/// A site's covariance with everything, given what was observed so far.
struct ResidualColumn {
  numeric::Vector arms;   ///< M: with each arm
  numeric::Vector white;  ///< u: the site's whitened kernel values, L^-1 k_U(site)
};

/// mu(x) = k_D(x)^T (K + lambda I)^-1 y and s2(x) = k(x,x) - k_D(x)^T (K + lambda I)^-1 k_D(x), as
/// ExactPosterior, by rows V = L^-1 K_{U,arms} that grow with the data. Equal sites of one block
/// share a row exactly (their count and mean reward), as does a site observed twice in succession;
/// rows are rebuilt with one for each different site once there are more than twice as many, so
/// u <= 2 (different sites) + 64 holds over any run.
///
/// Agrees with ExactPosterior to about 1e-13 (prior variance 1, lambda 0.2) and within
/// 1e-16 u / lambda for small lambda. Not for use by two threads at once; copyable.
class ArmPosterior {
 public:
  /// kInvalid when arms is null, or lambda is not finite and > 0.
  ArmPosterior(std::shared_ptr<const Arms> arms, double lambda);

  const Arms& arms() const { return *arms_; }
  double lambda() const { return lambda_; }
  std::size_t num_rows() const { return rows_.size(); }

  /// A site for a point that need not be an arm; the same site for the same coordinates. kInvalid
  /// when its size is not the arms' dimension or it is not finite. Arms are sites 0 .. M-1 and need
  /// no call.
  std::size_t add_site(const numeric::Vector& features);

  /// Takes a block of observations at once; their order does not matter (beyond rounding). kInvalid
  /// when a site does not exist or a reward is not finite; then nothing was taken.
  /// O((u + p) p M), p the number of different sites in the block.
  void observe(std::span<const Observation> block);
  void observe(const Observation& one) { observe(std::span<const Observation>(&one, 1)); }

  const numeric::Vector& mean() const { return mean_; }          ///< M
  const numeric::Vector& variance() const { return variance_; }  ///< M, in [0, prior]

  /// ln det(I + K/lambda) over all observations with multiplicity: twice the information gain. It
  /// grows by ln(1 + s2/lambda) with each, s2 its variance before it.
  double log_det() const { return log_det_; }

  /// Posterior at any points (n x d features). O(n u (u + d)).
  PointPosterior at(const numeric::Points& features) const;

  // What a posterior laid over this one uses (arm_overlay.h).

  /// Brings the columns of these sites up to date together, which is faster than one by one.
  /// O(u n M) for sites not asked for before; later calls pay for the rows that were added since.
  void prepare(std::span<const std::size_t> sites);
  /// Valid until the next observe() or prepare().
  const ResidualColumn& column(std::size_t site);
  /// Covariance of two sites whose columns are up to date.
  double covariance(std::size_t a, std::size_t b) const;
  /// Posterior mean and variance at a site.
  double mean_at(std::size_t site);
  double variance_at(std::size_t site);
  /// Coordinates of a site. kInvalid when it does not exist.
  numeric::Vector features(std::size_t site) const;
  /// L^-1 k_U(x_j) for any points: u x n.
  numeric::Matrix whiten(const numeric::Points& features) const;
  const WhitenedRows& rows() const { return rows_; }

 private:
  struct Tally {
    double count = 0;
    double sum = 0;
  };
  using Tallies = std::vector<std::pair<std::size_t, Tally>>;

  void check_sites(std::span<const std::size_t> sites) const;
  void append(const Tallies& tallies);
  void repeat_last(const Tally& tally);
  void extend(ResidualColumn& column, std::size_t site) const;
  void rebuild();

  std::shared_ptr<const Arms> arms_;
  double lambda_;
  numeric::Points free_;  // features of the sites beyond the arms
  WhitenedRows rows_;
  numeric::Points row_features_;
  numeric::Vector mean_;
  numeric::Vector variance_;
  double log_det_ = 0;
  std::unordered_map<std::size_t, ResidualColumn> columns_;
  std::vector<std::pair<std::size_t, Tally>> totals_;  // by first observation
  std::unordered_map<std::size_t, std::size_t> total_of_;
};

}  // namespace duets::gp
