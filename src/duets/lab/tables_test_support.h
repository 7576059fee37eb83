// For tests of tables: numbers that may be missing, as fields of a table have them.
#pragma once

#include <cmath>
#include <optional>

#include "duets/lab/statistics.h"
#include "duets/report/csv_test_support.h"

namespace duets::lab::test {

inline std::optional<double> finite(double x) {
  return std::isfinite(x) ? std::optional(x) : std::nullopt;
}

inline std::optional<double> low_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}

inline std::optional<double> high_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

}  // namespace duets::lab::test
