// Uniform points of the active region, the same for everyone who holds the coin.
//
// Three methods: by index on a finite set; by rejection from the whole domain; by coordinate
// hit-and-run with shrinkage from shared start points. Every slot owns its words, so a slot's point
// does not depend on which other slots are drawn, in what order, or on how many threads.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "duets/base/executor.h"
#include "duets/base/ids.h"
#include "duets/random/coin.h"
#include "duets/region/region.h"

namespace duets::region {

enum class Method : std::uint8_t { kIndex = 0, kRejection = 1, kWalk = 2 };

/// "index", "rejection", "walk".
const char* to_string(Method method);

/// How X_{j+1} is sampled: the coordinator decides it from the measured acceptance and broadcasts
/// it with tau_j. Counts as bytes, not as reals.
struct SamplerSettings {
  Method method = Method::kRejection;
  std::uint32_t max_attempts = 1000;  ///< rejection: attempts a slot may use; 1 .. 2^24
  std::uint32_t walk_steps = 0;       ///< walk: steps of a slot's chain; below 2^24
  std::uint32_t max_shrinks = 0;      ///< walk: proposals a step may use; 1 .. 2000
  std::uint32_t num_starts = 0;       ///< walk: how many start points to look for
  std::uint32_t stream_cap = 0;       ///< walk: how many points of the public stream are looked at

  friend bool operator==(const SamplerSettings&, const SamplerSettings&) = default;
};

/// Throws kInvalid naming the field.
void validate(const SamplerSettings& settings);

/// Whose stream is drawn: an agent's own coin, or the public one. They own different purposes.
enum class Lane : std::uint8_t { kPrivate, kPublic };

/// Consecutive slots of an epoch.
struct SlotRange {
  base::EpochId epoch{};
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct Draw {
  numeric::Points latents;             ///< one row a slot
  std::vector<std::uint32_t> indices;  ///< finite sets: the candidate behind each row
  std::uint64_t tests = 0;             ///< membership tests made
  double smallest_margin = std::numeric_limits<double>::infinity();
};

class Sampler {
 public:
  /// `starts` (latent points of the region) is needed by walks only. Throws kInvalid when a walk
  /// has none, when the settings are out of range, or when the region is an empty finite set.
  Sampler(Region region, SamplerSettings settings, numeric::Points starts = {});

  /// The points of the slots. Throws kExhausted, naming epoch and slot, when rejection reaches its
  /// cap. Rejection costs 1/acceptance tests a slot, a walk about 3 tests a step.
  Draw draw(const random::Coin& coin, Lane lane, const SlotRange& slots,
            const base::Executor& executor) const;

  const Region& region() const { return region_; }
  const SamplerSettings& settings() const { return settings_; }
  const numeric::Points& starts() const { return starts_; }

 private:
  Draw draw_chunk(const random::Coin& coin, Lane lane, const SlotRange& slots) const;
  Draw draw_indices(const random::Coin& coin, Lane lane, const SlotRange& slots) const;
  Draw draw_by_rejection(const random::Coin& coin, Lane lane, const SlotRange& slots) const;
  Draw draw_by_walk(const random::Coin& coin, Lane lane, const SlotRange& slots) const;

  Region region_;
  SamplerSettings settings_;
  numeric::Points starts_;
};

/// Start points for walks in `next`, a trimmed form of `current`'s region: the first `num_starts`
/// of the first `stream_cap` points of the public stream on the current region that the cut keeps.
/// They are uniform there, independent of the rewards, and known to all at no cost. May return
/// fewer.
numeric::Points find_starts(const Sampler& current, const Region& next,
                            const SamplerSettings& settings, const random::Coin& public_coin,
                            base::EpochId epoch, const base::Executor& executor);

}  // namespace duets::region
