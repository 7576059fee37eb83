// Finds the arm with given coordinates.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "duets/numeric/matrix.h"

namespace duets::baselines {

/// For the receiving side of a channel, which gets coordinates. Immutable; does not copy the
/// points.
class ArmIndex {
 public:
  /// `latents` (M x d) must outlive the index. O(M log M).
  explicit ArmIndex(const numeric::Points& latents);

  /// The arm with exactly these d coordinates, the lowest index of several; nothing when there is
  /// none. O(d log M).
  std::optional<std::size_t> find(std::span<const double> latent) const;

 private:
  const numeric::Points* latents_;
  std::vector<std::size_t> order_;  // by coordinates, then by index
};

}  // namespace duets::baselines
