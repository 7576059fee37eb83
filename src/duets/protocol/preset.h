// Presets: named sets of settings for users who do not want to choose each one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "duets/domain/domain.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// What a preset is to be good at.
enum class Goal : std::uint8_t { kEarn = 0, kFind = 1 };
constexpr auto enum_entries(Goal /*tag*/) {
  return base::entries<Goal>(
      {{Goal::kEarn, "earn", "little regret on the way: queries are worth as much as the answer"},
       {Goal::kFind, "find",
        "the best point at the end: fewer cuts, decided by samples of the posterior, and longer "
        "first epochs; costs more regret and more reals"}});
}

struct Preset {
  std::string_view name;     ///< in study files
  std::string_view meaning;  ///< in one line for people
  void (*change)(Study&);    ///< changes a study whose settings under [duets] are the defaults
  Goal goal = Goal::kEarn;   ///< where a file names none
};

/// All presets. The first, "paper", changes nothing; a study file that names none means the same.
std::span<const Preset> presets();

/// Null when there is none of this name.
const Preset* find_preset(std::string_view name);

/// Gives every setting under [duets] its default, then changes what the preset changes: some of
/// them and, where parameters are learned, the family of the kernel. Everything else stays.
void apply_preset(const Preset& preset, Study& study);

/// Changes a study under a preset that learns its parameters. kFind sets cut, epoch_cap and
/// side_floor and doubles t1, twice where there are categories; kEarn changes nothing.
void apply_goal(Goal goal, Study& study);

/// A first guess at the length scale when nothing is known: half the root mean squared distance of
/// two independent uniform points, as the kernel sees them. sqrt(d/6)/2 on a cube,
/// radius sqrt(2d/(d+2))/2 in a ball, over all pairs of candidates of a finite set (O(n d)); 1 when
/// the points are all the same. Strict.
double guessed_lengthscale(const domain::Domain& domain);

}  // namespace duets::protocol
