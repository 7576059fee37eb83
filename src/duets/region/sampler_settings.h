// The settings of a sampler, as the coordinator broadcasts them.
#pragma once

#include <cstdint>

#include "duets/base/enum_table.h"

namespace duets::region {

enum class Method : std::uint8_t { kIndex = 0, kRejection = 1, kWalk = 2, kCover = 3 };

constexpr auto enum_entries(Method /*tag*/) {
  return base::entries<Method>({{Method::kIndex, "index"},
                                {Method::kRejection, "rejection"},
                                {Method::kWalk, "walk"},
                                {Method::kCover, "cover"}});
}

/// How X_{j+1} is sampled: the coordinator decides it from measured acceptances and broadcasts it
/// with tau_j. Counts as bytes, not as reals.
struct SamplerSettings {
  Method method = Method::kRejection;
  std::uint32_t max_attempts = 1000;  ///< rejection, cover: attempts a slot may use; 1 .. 2^24
  std::uint32_t walk_steps = 0;       ///< walk: steps of a slot's chain; below 2^24
  std::uint32_t max_shrinks = 0;      ///< walk: proposals a step may use; 1 .. 2000
  std::uint32_t num_starts = 0;       ///< walk: how many start points to look for
  std::uint32_t stream_cap = 0;       ///< walk: how many points of the public stream are tested
  std::uint32_t cover_depth = 0;      ///< cover: halvings; at most 60, and 0 for other methods

  friend bool operator==(const SamplerSettings&, const SamplerSettings&) = default;
};

/// Throws kInvalid naming the field.
void validate(const SamplerSettings& settings);

}  // namespace duets::region
