// Ratios of means with paired uncertainty.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "duets/lab/statistics.h"

namespace duets::lab {

/// log(mean(first) / mean(second)) of values of the same seeds, and how each seed pulls at it to
/// first order: first[i] / mean(first) - second[i] / mean(second), of mean 0. What is common to the
/// two, as an easy or a hard draw of the problem, cancels.
struct LogRatio {
  double value = 0;
  std::vector<double> by_seed{};
};

/// Nothing when a mean is not above 0. kInvalid as paired_difference. Strict. O(n).
std::optional<LogRatio> log_ratio(std::span<const double> first, std::span<const double> second);

/// The logarithm of the geometric mean of the ratios, all of the same seeds. The problems are taken
/// as given: the seeds alone are uncertain. kInvalid when there is none or the sizes differ.
LogRatio mean_of(std::span<const LogRatio> ratios);

struct Ratio {
  double value = 1;
  std::optional<Interval> interval{};  ///< 95 %; nothing where Bootstrap gives none

  /// kLower when the interval lies below 1.
  Order order() const;
};

/// The bootstrap-t interval of the mean of by_seed, around the logarithm.
Ratio ratio_of(const LogRatio& ratio, const Bootstrap& bootstrap);

}  // namespace duets::lab
