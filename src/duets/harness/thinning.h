// Selects the part of a long run that is shown, by rules that depend only on the study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace duets::harness {

/// Every stride-th query of each agent and of each time: (agent + t) mod stride == 0, t from 0.
/// Agents alternate, so that both agents and times are covered evenly. 0: none, 1: all.
struct QueryThinning {
  std::uint64_t stride = 1;

  bool keeps(std::uint32_t agent, std::uint64_t t) const {
    return stride == 1 || (stride != 0 && (agent + t) % stride == 0);
  }
};

/// The smallest stride that keeps about `most` (> 0) of `num_queries`: num_queries / most, rounded
/// up; at least 1.
QueryThinning thinned_to(std::uint64_t num_queries, std::uint64_t most);

/// Rows of a regret curve that is longer than this are thinned.
inline constexpr std::size_t kMaxShownTimes = 2000;

/// The times of a curve over 1 .. horizon that are shown, increasing. All of them up to
/// kMaxShownTimes; above that every k-th with k = horizon / kMaxShownTimes rounded up, and always
/// the first, the last and the end of every epoch. `lengths` are those of the epochs; times beyond
/// the horizon are omitted.
std::vector<std::size_t> shown_times(std::size_t horizon, std::span<const std::uint32_t> lengths);

}  // namespace duets::harness
