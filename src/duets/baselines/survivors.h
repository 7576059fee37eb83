// The arms that confidence bounds have not ruled out.
#pragma once

#include <cstddef>
#include <vector>

#include "duets/numeric/matrix.h"

namespace duets::baselines {

/// A shrinking set of arms, in increasing order; never empty.
class Survivors {
 public:
  /// All of num_arms >= 1 arms (kInvalid for none).
  explicit Survivors(std::size_t num_arms);

  const std::vector<std::size_t>& arms() const { return arms_; }

  /// Keeps the survivors whose upper bound mean + beta sqrt(variance) reaches the largest lower
  /// bound of a survivor. The arm of that lower bound stays, so the set does not become empty.
  /// One entry for each of the num_arms arms. O(M).
  void cut(const numeric::Vector& mean, const numeric::Vector& variance, double beta);

  /// `values` at the survivors, -infinity elsewhere.
  numeric::Vector masked(const numeric::Vector& values) const;

 private:
  std::vector<std::size_t> arms_;
};

}  // namespace duets::baselines
