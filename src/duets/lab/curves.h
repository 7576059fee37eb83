// The curves of one run of one algorithm, for comparisons.
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

  friend bool operator==(const Curves&, const Curves&) = default;
};

/// Curves of a run with a longer horizon are thinned to about this many entries, evenly.
inline constexpr std::uint32_t kMaxCurveEntries = 400;

/// The times that curves of this horizon keep: all, or about kMaxCurveEntries of them and the last.
std::vector<std::uint32_t> curve_times(std::uint32_t horizon);

}  // namespace duets::lab
