#include "duets/lab/log_ratio.h"

#include <fmt/format.h>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"

namespace duets::lab {

std::optional<LogRatio> log_ratio(std::span<const double> first, std::span<const double> second) {
  base::require(first.size() == second.size(), "number of paired values",
                fmt::format("{}", second.size()), fmt::format("must be {}", first.size()));
  const double above = mean(first);
  const double below = mean(second);
  if (!(above > 0) || !(below > 0)) return std::nullopt;
  LogRatio out{.value = numeric::strict_log(above) - numeric::strict_log(below)};
  out.by_seed.reserve(first.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    out.by_seed.push_back(first[i] / above - second[i] / below);
  }
  return out;
}

LogRatio mean_of(std::span<const LogRatio> ratios) {
  base::require(!ratios.empty(), "ratios", "none", "at least one is needed");
  LogRatio out{.value = 0, .by_seed = std::vector<double>(ratios.front().by_seed.size(), 0.0)};
  const auto count = static_cast<double>(ratios.size());
  for (const LogRatio& ratio : ratios) {
    base::require(ratio.by_seed.size() == out.by_seed.size(), "number of seeds",
                  fmt::format("{}", ratio.by_seed.size()),
                  fmt::format("must be {}", out.by_seed.size()));
    out.value += ratio.value / count;
    for (std::size_t i = 0; i < out.by_seed.size(); ++i) {
      out.by_seed[i] += ratio.by_seed[i] / count;
    }
  }
  return out;
}

Order Ratio::order() const {
  if (interval && interval->high < 1) return Order::kLower;
  if (interval && interval->low > 1) return Order::kHigher;
  return Order::kUndecided;
}

Ratio ratio_of(const LogRatio& ratio, const Bootstrap& bootstrap) {
  Ratio out{.value = numeric::strict_exp(ratio.value)};
  if (const auto pull = bootstrap.mean_interval(ratio.by_seed)) {
    out.interval = Interval{numeric::strict_exp(ratio.value + pull->low),
                            numeric::strict_exp(ratio.value + pull->high)};
  }
  return out;
}

}  // namespace duets::lab
