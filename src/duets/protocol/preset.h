// Presets: named sets of settings for users who do not want to choose each one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "duets/domain/domain.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

enum class Preset : std::uint8_t {
  kPaper = 0,  ///< the paper's rules; scale and kernel must be known
  kAuto = 1,   ///< the best in measurements; for newcomers
  kQuick = 2,  ///< auto without relevance
  kSafe = 3,   ///< wider cuts: the best point is lost less often
};

inline constexpr std::array kPresets{Preset::kPaper, Preset::kAuto, Preset::kQuick, Preset::kSafe};

/// "paper", "auto", "quick", "safe".
std::string_view name(Preset preset);

/// The preset with this name, if there is one.
std::optional<Preset> preset_named(std::string_view name);

/// A description of the preset in one line.
std::string_view meaning(Preset preset);

/// Sets beta, volume_floor, epoch_floor, schedule, t1, epochs (none), inducing, upload, data,
/// parameters, relevance and coins of a study in mode kTuned. Everything else stays.
void apply_preset(Preset preset, Study& study);

/// A first guess at the length scale when nothing is known: half the root mean squared distance of
/// two independent uniform points, as the kernel sees them. sqrt(d/6)/2 on a cube,
/// radius sqrt(2d/(d+2))/2 in a ball, over all pairs of candidates of a finite set (O(n d)); 1 when
/// the points are all the same. Strict.
double guessed_lengthscale(const domain::Domain& domain);

}  // namespace duets::protocol
