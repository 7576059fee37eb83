// What a study will do, told before it runs: facts derived from the file, and warnings.
//
// The warnings are forecasts, not errors. Two of them need the posterior variance an epoch will
// leave. It is measured, not guessed: for each planned exchange, N T_j points (at most
// kForecastPoints) and kForecastProbes probes are drawn from the whole domain with the public coin,
// and sigma2_max is the largest posterior variance at the probes. Real epochs draw from a smaller
// region, which leaves less variance, so a forecast sigma2_max is an upper estimate.
//
//  * Inducing set (inducing = "coin"): |S_j| = min(1, p_j) N T_j before de-duplication and pruning.
//  * Acceptance after the last cut (box or ball): the share of the domain within distance r of a
//    maximum that is a single bump k(., x*) of height one prior deviation, where r is the distance
//    at which the bump has fallen by the cut 2 beta sigma_max. One bump, so it is low for functions
//    with many good places; the whole-domain sigma_max, so it is high for long runs.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "duets/cli/study_file.h"

namespace duets::cli {

inline constexpr std::size_t kForecastPoints = 400;
inline constexpr std::size_t kForecastProbes = 200;
/// Below this forecast acceptance there is a warning.
inline constexpr double kLowAcceptance = 1e-6;

struct ConfigCheck {
  /// Names and values for people, in a fixed order: queries, domain, kernel, epochs, exchanges, ...
  std::vector<std::pair<std::string, std::string>> facts;
  /// One sentence each, with what to change.
  std::vector<std::string> warnings;
};

/// Deterministic. Costs the factorisation of a few matrices with kForecastPoints rows.
ConfigCheck check(const StudyFile& file);

}  // namespace duets::cli
