// The settings of a sampler, as the coordinator broadcasts them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "duets/base/enum_table.h"
#include "duets/region/cover.h"

namespace duets::region {

enum class Method : std::uint8_t { kIndex = 0, kRejection = 1, kWalk = 2, kCover = 3 };

constexpr auto enum_entries(Method /*tag*/) {
  return base::entries<Method>({{Method::kIndex, "index"},
                                {Method::kRejection, "rejection"},
                                {Method::kWalk, "walk"},
                                {Method::kCover, "cover"}});
}

/// Moves from start points.
constexpr bool is_walk(Method method) { return method == Method::kWalk; }
constexpr bool is_cover(Method method) { return method == Method::kCover; }
/// Tries points until one lies inside.
constexpr bool is_rejection(Method method) {
  return method == Method::kRejection || is_cover(method);
}

/// How X_{j+1} is sampled: the coordinator decides it from measured acceptances and broadcasts it
/// with tau_j. Counts as bytes, not as reals.
struct SamplerSettings {
  Method method = Method::kRejection;
  std::uint32_t max_attempts = 1000;  ///< rejection, cover: attempts a slot may use; 1 .. 2^24
  std::uint32_t walk_steps = 0;       ///< walk: steps of a slot's chain; below 2^24
  std::uint32_t max_shrinks = 0;      ///< walk: proposals a step may use; 1 .. 2000
  std::uint32_t num_starts = 0;       ///< walk: how many start points to look for; at most 1024
  std::uint32_t stream_cap = 0;       ///< walk: points of the public stream to test; at most 2^24
  std::uint32_t cover_depth = 0;      ///< cover: halvings; at most 60

  friend bool operator==(const SamplerSettings&, const SamplerSettings&) = default;
};

/// A number of the settings, for checks and bytes. Methods that it does not belong to do not use
/// it.
struct SamplerNumber {
  std::string_view name;  ///< in errors, and of its field in duets.proto
  std::uint32_t SamplerSettings::*member;
  std::uint32_t low;  ///< for the methods that it belongs to
  std::uint32_t high;
  std::string_view constraint;
  bool (*belongs_to)(Method);
};

/// Far above what a coordinator asks for, far below what would harm an agent.
inline constexpr std::uint32_t kMaxStarts = 1024;

/// In the order of the bytes.
inline constexpr auto kSamplerNumbers = std::to_array<SamplerNumber>({
    {"max_attempts", &SamplerSettings::max_attempts, 1, 1U << 24, "must be between 1 and 2^24",
     is_rejection},
    {"walk_steps", &SamplerSettings::walk_steps, 0, (1U << 24) - 1, "must be below 2^24", is_walk},
    {"max_shrinks", &SamplerSettings::max_shrinks, 1, 2000, "must be between 1 and 2000", is_walk},
    {"num_starts", &SamplerSettings::num_starts, 0, kMaxStarts, "must be at most 1024", is_walk},
    {"stream_cap", &SamplerSettings::stream_cap, 0, 1U << 24, "must be at most 2^24", is_walk},
    {"cover_depth", &SamplerSettings::cover_depth, 0, Cover::kMaxDepth, "must be at most 60",
     is_cover},
});

/// Throws kInvalid naming the field.
void validate(const SamplerSettings& settings);
/// As they are sent: 0 in the numbers of other methods.
SamplerSettings own_numbers(SamplerSettings settings);

}  // namespace duets::region
