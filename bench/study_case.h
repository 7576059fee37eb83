// The slice of the empirical study that is timed: the preset "paper" at a few functions, betas and
// seeds, all four algorithms.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "duets/lab/presets.h"

namespace duets::bench {

/// Two dimensions with many different arms played, and ten.
inline constexpr std::array<std::string_view, 2> kStudyFunctions{"branin", "h2"};
inline constexpr std::array<double, 3> kStudyBetas{0.2, 1.0, 5.0};
/// Without a near tie: NumPy, which rounds differently, plays the same arms.
inline constexpr std::array<std::uint64_t, 3> kStudySeeds{1, 2, 3};

/// The algorithm at every beta, in order.
std::vector<lab::Contender> study_contenders(std::string_view algorithm);

/// One instance for each seed.
std::vector<lab::Instance> study_instances(std::string_view function);

/// Everything at once, as `duets reproduce` would run it.
lab::Experiment study_slice();

}  // namespace duets::bench
