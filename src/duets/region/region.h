// The active region X_j: the domain and the cuts of all earlier epochs.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "duets/domain/domain.h"
#include "duets/region/cut.h"

namespace duets::region {

/// Which points are inside, and how close the closest decision was.
struct Membership {
  std::vector<std::uint8_t> inside;                                  ///< 1 or 0 for each point
  double smallest_margin = std::numeric_limits<double>::infinity();  ///< min |sum - tau| compared
};

/// Immutable and cheap to copy. Strict: two parties with the same transmitted numbers agree on
/// every point.
class Region {
 public:
  /// The whole domain.
  explicit Region(std::shared_ptr<const domain::Domain> domain);

  /// The points of this region that the cut keeps. On a finite set the survivors are computed here,
  /// O(survivors s d); never empty when tau was taken from a point of this region.
  Region trimmed(std::shared_ptr<const Cut> cut) const;
  /// The same when cut->sum_at(surviving_points()) is already known; used only if the domain is
  /// finite.
  Region trimmed(std::shared_ptr<const Cut> cut, const numeric::Vector& sums) const;

  /// Membership of latent points of the domain (that they lie in the box or ball is not checked).
  /// O(n sum_j s_j d) at worst; a point that fails one cut is not tested by the others.
  Membership contains(const numeric::Points& latents) const;

  const domain::Domain& domain() const { return *domain_; }
  const std::shared_ptr<const domain::Domain>& shared_domain() const { return domain_; }
  const std::vector<std::shared_ptr<const Cut>>& cuts() const { return cuts_; }

  /// Finite sets: indices of the candidates that are left, increasing.
  const std::vector<std::uint32_t>& survivors() const { return *survivors_; }
  /// Finite sets: the latent points of the survivors.
  numeric::Points surviving_points() const;
  /// Finite sets: min |sum - tau| over the candidates that the last cut decided.
  double last_margin() const { return last_margin_; }

 private:
  std::shared_ptr<const domain::Domain> domain_;
  std::vector<std::shared_ptr<const Cut>> cuts_;
  std::shared_ptr<const std::vector<std::uint32_t>> survivors_;
  double last_margin_ = std::numeric_limits<double>::infinity();
};

}  // namespace duets::region
