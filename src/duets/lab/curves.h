// The curves of one run of one algorithm and what it recommends, for comparisons.
#pragma once

#include <cstdint>
#include <vector>

namespace duets::lab {

/// Curves over time, all of the same length. Entry i is the state when every agent has made t[i]
/// queries; t increases and ends at the horizon. Numbers are cumulative: regret summed
/// over agents, reals in the three ledgers of docs/guide.md (closing messages in none).
struct Curves {
  std::vector<std::uint32_t> t{};
  std::vector<double> regret{};
  std::vector<double> paper{};
  std::vector<double> figure{};
  std::vector<double> links{};
  /// f(x*) - f(x) of the recommended point x, without noise, against the reference of the regret.
  double recommendation_regret = 0;
  bool lost = false;  ///< that is above kLostShare of the function's deviation over the domain

  friend bool operator==(const Curves&, const Curves&) = default;
};

/// A run has lost the optimum when its recommendation is worse than the best point by more than
/// this part of the function's standard deviation over the domain.
inline constexpr double kLostShare = 0.1;

/// Curves of a run with a longer horizon are thinned to about this many entries, evenly.
inline constexpr std::uint32_t kMaxCurveEntries = 400;

/// The times that curves of this horizon keep: all, or about kMaxCurveEntries of them and the last.
std::vector<std::uint32_t> curve_times(std::uint32_t horizon);

}  // namespace duets::lab
