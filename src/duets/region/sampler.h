// Draws uniform points of the active region, the same for everyone who holds the coin.
//
// The methods: by index on a finite set; by rejection from the whole domain; by rejection from a
// cover of the region; by coordinate hit-and-run with shrinkage from shared start points. Every
// slot owns its words, so a slot's point does not depend on which other slots are drawn, in what
// order, or on how many threads.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "duets/base/executor.h"
#include "duets/base/ids.h"
#include "duets/random/coin.h"
#include "duets/region/region.h"
#include "duets/region/sampler_settings.h"

namespace duets::region {

/// Which stream is drawn. Each has its own purposes.
enum class Lane : std::uint8_t {
  kPrivate,  ///< an agent's own coin
  kPublic,   ///< the public coin
  kPool,     ///< the public coin: the points from which strata are made (strata.h)
};

/// Consecutive slots of an epoch.
struct SlotRange {
  base::EpochId epoch{};
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

struct Draw {
  numeric::Points latents;             ///< one row per slot
  std::vector<std::uint32_t> indices;  ///< finite sets: the candidate behind each row
  std::uint64_t tests = 0;             ///< membership tests made
  double smallest_margin = std::numeric_limits<double>::infinity();
};

class Sampler {
 public:
  /// Only walks need `starts` (latent points of the region); a cover is built here. Throws
  /// kInvalid when a walk has no start, when the settings are out of range, when the region is an
  /// empty finite set, or when there is no such cover (cover.h).
  Sampler(Region region, SamplerSettings settings, numeric::Points starts = {});

  /// The points of the slots. Throws kExhausted, naming epoch and slot, when rejection reaches its
  /// cap. Rejection costs 1/acceptance tests a slot (from a cover: its own acceptance), a walk
  /// about 3 tests a step.
  Draw draw(const random::Coin& coin, Lane lane, const SlotRange& slots,
            const base::Executor& executor) const;

  const Region& region() const { return region_; }
  const SamplerSettings& settings() const { return settings_; }
  const numeric::Points& starts() const { return starts_; }

 private:
  /// Draws consecutive slots, with what was prepared for the method.
  using Way = std::function<Draw(const Sampler&, const random::Coin&, Lane, const SlotRange&)>;
  static Way way_of(const Sampler& sampler);

  Region region_;
  SamplerSettings settings_;
  numeric::Points starts_;
  Way way_;
};

/// Start points for walks in `next`, a trimmed form of `current`'s region: the first `num_starts`
/// of the first `stream_cap` points of the public stream on the current region that the cut keeps.
/// They are uniform there, independent of the rewards, and known to every party at no cost. May
/// return fewer. `drawn` are the first points of that stream, as many as the caller has already.
numeric::Points find_starts(const Sampler& current, const Region& next,
                            const SamplerSettings& settings, const random::Coin& public_coin,
                            base::EpochId epoch, const base::Executor& executor,
                            const numeric::Points& drawn = {});

}  // namespace duets::region
