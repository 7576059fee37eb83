// Axes: the range shown, the positions of the ticks and their labels.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace duets::report {

enum class Scale { kLinear, kLog10 };

/// The settings of an axis.
struct Axis {
  std::string label{};  ///< with its unit
  Scale scale = Scale::kLinear;
  bool integers = false;                ///< ticks at whole numbers only
  bool from_zero = false;               ///< a linear axis that must show 0
  std::optional<double> low{}, high{};  ///< fixed ends; otherwise from the data. Finite, > 0 if log
};

struct Tick {
  double value = 0;
  std::string text{};
  std::string exponent{};  ///< of ten, raised after the text; often empty
};

/// The range of numbers that an axis shows, low < high (both > 0 on a log axis).
struct Span {
  double low = 0;
  double high = 1;
};

/// Whether a number can be drawn on the scale: finite, of magnitude at most 1e300, and at least
/// 1e-300 on a log axis. A number that cannot be drawn is a gap.
bool drawable(double value, Scale scale);

/// The smallest and largest drawable number seen, or nothing.
class Extent {
 public:
  explicit Extent(Scale scale) : scale_(scale) {}
  void add(double value);
  void add(const std::vector<double>& values);
  const std::optional<Span>& span() const { return span_; }  ///< may have low == high

 private:
  Scale scale_;
  std::optional<Span> span_;
};

/// The span of an axis for the data: widened where all values are equal, padded by 4 %, except at
/// an end that is given, at a zero that starts the axis, and on an axis of integers. Without data:
/// [0, 1], or [1, 10] on a log axis.
Span axis_span(const Axis& axis, const std::optional<Span>& data);

/// The step 1, 2 or 5 times a power of ten that is not below `smallest`. `smallest` > 0.
double nice_step(double smallest);

/// Ticks inside the span, increasing, at most `max_count` of them (max_count >= 2), at multiples of
/// a nice step; all labels with the same decimals. Complexity O(max_count).
std::vector<Tick> linear_ticks(const Span& span, std::size_t max_count, bool integers);

/// Ticks of a log axis: powers of ten, with 2 and 5 (or 3) between them where there is room; those
/// of linear_ticks, thinned where they crowd, when that gives fewer than three and the span is
/// below a decade.
std::vector<Tick> log_ticks(const Span& span, std::size_t max_count);

std::vector<Tick> axis_ticks(const Axis& axis, const Span& span, std::size_t max_count);

/// Maps numbers to pixels; a number outside the span maps to a pixel outside.
class AxisMap {
 public:
  AxisMap(Scale scale, Span span, double pixel_low, double pixel_high);
  /// `value` must be drawable.
  double operator()(double value) const;
  bool shows(double value) const;
  Scale scale() const { return scale_; }
  const Span& span() const { return span_; }

 private:
  Scale scale_;
  Span span_;
  double pixel_low_;
  double pixel_high_;
};

}  // namespace duets::report
