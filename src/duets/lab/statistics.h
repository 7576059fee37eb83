// Means, their uncertainty, and paired comparisons, with the same bits on every machine.
//
// Two methods for two purposes. A table shows a bootstrap-t interval beside a mean, because it
// follows the skewness of the runs and has nearly its nominal coverage with five of them: BCa and
// percentile intervals cannot leave the range of the sample (measured for five normal values:
// bootstrap-t 94 %, BCa 83 %). Student's t on paired differences decides between two algorithms:
// differences are closer to symmetric, and the t quantile accounts for a sample of five without the
// noise of resampling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "duets/base/enum_table.h"

namespace duets::lab {

struct Interval {
  double low = 0;
  double high = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The level of every interval, and of every family of comparisons.
inline constexpr double kConfidence = 0.95;
/// Bootstrap resamples. One less than a multiple of 40, so that the 2.5 % and 97.5 % quantiles are
/// order statistics.
inline constexpr std::size_t kResamples = 1999;

/// Arithmetic mean; kInvalid when empty or when a number is not finite. O(n).
double mean(std::span<const double> values);

/// Sample standard deviation (divisor n - 1), two passes; nothing for fewer than two values. O(n).
std::optional<double> sample_stddev(std::span<const double> values);

/// Student's t: the probability that |t| stays below `t` >= 0. `freedom` >= 1. Relative error below
/// 1e-12 of the result. O(freedom).
double student_central(double t, std::size_t freedom);

/// The t with student_central(t, freedom) = level, 0 < level < 1. Relative error below 1e-9 for
/// levels up to 1 - 1e-5.
double student_quantile(double level, std::size_t freedom);

/// Bootstrap-t intervals of the mean of samples of one size. The resamples are drawn once, from a
/// fixed key, so the interval is a function of the values. At n = 5 only 126 different resamples
/// exist, some with almost no spread: the interval covers about 94 % (normal values) or 93 %
/// (log-normal ones), but it is wide and its width varies; a picture of the uncertainty, not a
/// test.
class Bootstrap {
 public:
  explicit Bootstrap(std::size_t size);

  /// Nothing for fewer than five values, or when so many of them are equal that more than 2.5 % of
  /// the resamples have no spread; [mean, mean] when all are equal. kInvalid when the number of
  /// values is not the size. O(kResamples n).
  std::optional<Interval> mean_interval(std::span<const double> values) const;

 private:
  std::size_t size_;
  std::vector<std::uint32_t> indices_;  // distinct resamples, size_ each
  std::vector<std::size_t> counts_;     // how often each was drawn
};

struct Summary {
  std::size_t runs = 0;
  double mean = 0;
  std::optional<double> stddev{};      ///< of a run, sample
  std::optional<Interval> interval{};  ///< 95 % of the mean, bootstrap-t

  /// stddev / sqrt(runs).
  std::optional<double> standard_error() const;
};

Summary summarise(std::span<const double> values, const Bootstrap& bootstrap);

/// The verdict of a paired difference on `first - second`.
enum class Order {
  kLower,      ///< first is below second: the interval lies below 0
  kHigher,     ///< first is above second
  kUndecided,  ///< the interval contains 0, or there is none
};
constexpr auto enum_entries(Order /*tag*/) {
  return base::entries<Order>(
      {{Order::kLower, "lower"}, {Order::kHigher, "higher"}, {Order::kUndecided, "undecided"}});
}

struct PairedDifference {
  std::size_t runs = 0;
  double mean = 0;  ///< of first - second
  std::optional<double> stddev{};
  std::optional<Interval> interval{};  ///< at 1 - 0.05 / family; nothing for one run
  Order order = Order::kUndecided;
};

/// Values of the same seeds, in the same order. `family` >= 1 is the number of comparisons that
/// must hold together (Bonferroni): each interval is then the decision that is taken, which Holm's
/// procedure would not give. Differences that are all equal leave an interval of width 0. kInvalid
/// when the sizes differ or nothing is given. O(n).
PairedDifference paired_difference(std::span<const double> first, std::span<const double> second,
                                   std::size_t family);

}  // namespace duets::lab
