#include "duets/harness/thinning.h"

#include <algorithm>

namespace duets::harness {

QueryThinning thinned_to(std::uint64_t num_queries, std::uint64_t most) {
  return {std::max<std::uint64_t>(1, num_queries / most + (num_queries % most != 0 ? 1 : 0))};
}

std::vector<std::size_t> shown_times(std::size_t horizon, std::span<const std::uint32_t> lengths) {
  const std::size_t stride =
      std::max<std::size_t>(1, horizon / kMaxShownTimes + (horizon % kMaxShownTimes != 0 ? 1 : 0));
  std::vector<std::size_t> times;
  for (std::size_t t = stride; t <= horizon; t += stride) times.push_back(t);
  if (stride == 1) return times;
  times.insert(times.end(), {1, horizon});
  std::size_t end = 0;
  for (const std::uint32_t length : lengths) {
    end += length;
    if (end <= horizon) times.push_back(end);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace duets::harness
