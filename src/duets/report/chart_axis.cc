#include "duets/report/chart_axis.h"

#include <algorithm>
#include <cmath>

#include "duets/report/chart_number.h"
#include "duets/report/svg.h"

namespace duets::report {
namespace {

constexpr double kLargest = 1e300;
constexpr double kSmallestSpan = 1e-300;
constexpr double kPadding = 0.04;
constexpr double kEqual = 1e-11;  // spans narrower than this, relatively, cannot be labelled

int floor_log10(double value) {
  int exponent = static_cast<int>(std::floor(std::log10(value)));
  // log10 may round up to the next power.
  if (std::pow(10.0, exponent) > value) --exponent;
  return exponent;
}

Span widen_if_equal(const Axis& axis, Span span) {
  const double size = std::max(std::abs(span.low), std::abs(span.high));
  if (axis.scale == Scale::kLog10) {
    if (span.high > span.low * (1 + kEqual)) return span;
    return {span.low / 3, span.high * 3};
  }
  if (span.high - span.low > kEqual * size && span.high - span.low > kSmallestSpan) return span;
  if (axis.integers) return {span.low - 1, span.high + 1};
  const double pad = size > kSmallestSpan ? 0.25 * size : 1;
  return {span.low - pad, span.high + pad};
}

Span pad_linear(const Axis& axis, Span span) {
  if (axis.integers) return span;
  const double pad = kPadding * (span.high - span.low);
  const bool zero_low = axis.from_zero && span.low == 0;
  const bool zero_high = axis.from_zero && span.high == 0;
  return {zero_low ? 0 : span.low - pad, zero_high ? 0 : span.high + pad};
}

Span pad_log(Span span) {
  const double factor = std::pow(span.high / span.low, kPadding);
  if (!std::isfinite(factor)) return span;
  return {span.low / factor, span.high * factor};
}

Span widen_and_pad(const Axis& axis, Span span) {
  span = widen_if_equal(axis, span);
  return axis.scale == Scale::kLog10 ? pad_log(span) : pad_linear(axis, span);
}

// Labels with the decimals of the step, or as powers of ten where that would be long.
std::vector<Tick> label_linear(const std::vector<double>& values, double step) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  const int step_exponent = floor_log10(step);
  const bool in_full = largest < 1e7 && step_exponent >= -5;
  std::vector<Tick> ticks;
  for (const double v : values) {
    const int power = in_full || v == 0 ? 0 : floor_log10(std::abs(v));
    const int decimals = std::clamp(power - step_exponent, 0, 17);
    if (power == 0) {
      ticks.push_back({v, group_digits(fixed(v, decimals)), ""});
    } else {
      // Divided in two halves: 10^-power alone may not be representable.
      const double half = std::pow(10.0, power / 2);
      const double mantissa = v / half / std::pow(10.0, power - power / 2);
      ticks.push_back({v,
                       fixed(mantissa, decimals) + "\xC3\x97"
                                                   "10",
                       std::to_string(power)});
    }
  }
  return ticks;
}

// A tick of a log axis, without its label.
Tick power_tick(int exponent, int digit) { return {digit * std::pow(10.0, exponent), "", ""}; }

// All labels in full, or all that are long as powers of ten: never a mixture.
void label_powers(std::vector<Tick>& ticks) {
  const bool in_full = std::all_of(ticks.begin(), ticks.end(), [](const Tick& t) {
    return t.value > 0.9e-4 && t.value < 1.1e6;
  });
  for (Tick& t : ticks) {
    const int exponent = floor_log10(t.value * 1.0001);
    if (in_full || exponent == 0 || exponent == 1) {
      t.text = group_digits(fixed(t.value, std::max(0, -exponent)));
      continue;
    }
    const int digit = static_cast<int>(std::lround(t.value / std::pow(10.0, exponent)));
    t.text = (digit == 1 ? "" : std::to_string(digit) + "\xC3\x97") + "10";
    t.exponent = std::to_string(exponent);
  }
}

void keep_inside(std::vector<Tick>& ticks, const Span& span) {
  std::erase_if(ticks, [&](const Tick& t) { return t.value < span.low || t.value > span.high; });
}

// Even steps crowd towards the upper end of a log axis: drops those that stand too close to the one
// before them.
void keep_apart(std::vector<Tick>& ticks, const Span& span, std::size_t max_count) {
  const double apart = std::pow(span.high / span.low, 1 / static_cast<double>(max_count + 1));
  double last = 0;
  std::erase_if(ticks, [&](const Tick& t) {
    if (t.value < last * apart) return true;
    last = t.value;
    return false;
  });
}

std::vector<Tick> powers_with_digits(const Span& span, const std::vector<int>& digits) {
  std::vector<Tick> ticks;
  for (int e = floor_log10(span.low); e <= floor_log10(span.high); ++e) {
    for (const int digit : digits) ticks.push_back(power_tick(e, digit));
  }
  keep_inside(ticks, span);
  label_powers(ticks);
  return ticks;
}

}  // namespace

bool drawable(double value, Scale scale) {
  if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  return scale == Scale::kLinear || value >= kSmallestSpan;
}

void Extent::add(double value) {
  if (!drawable(value, scale_)) return;
  if (!span_) span_ = Span{value, value};
  span_->low = std::min(span_->low, value);
  span_->high = std::max(span_->high, value);
}

void Extent::add(const std::vector<double>& values) {
  for (const double v : values) add(v);
}

Span axis_span(const Axis& axis, const std::optional<Span>& data) {
  const bool log = axis.scale == Scale::kLog10;
  Span span = data.value_or(log ? Span{1, 10} : Span{0, 1});
  if (axis.from_zero && !log) span = {std::min(span.low, 0.0), std::max(span.high, 0.0)};
  if (axis.low) span.low = *axis.low;
  if (axis.high) span.high = *axis.high;
  if (span.high < span.low) span.high = span.low;
  const bool all_zero = axis.from_zero && !log && span.low == 0 && span.high <= kSmallestSpan;
  span = all_zero ? Span{0, 1} : widen_and_pad(axis, span);
  if (axis.low) span.low = *axis.low;
  if (axis.high && *axis.high > span.low) span.high = *axis.high;
  return span;
}

double nice_step(double smallest) {
  const double power = std::pow(10.0, floor_log10(smallest));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= smallest) return digit * power;
  }
  return 10 * power;
}

std::vector<Tick> linear_ticks(const Span& span, std::size_t max_count, bool integers) {
  double step = nice_step((span.high - span.low) / static_cast<double>(max_count));
  if (integers) step = std::max(step, 1.0);
  // Half a thousandth of a step: a tick that rounding put beyond the end still counts.
  const double slack = 5e-4;
  double first = std::ceil(span.low / step - slack);
  double last = std::floor(span.high / step + slack);
  while (last - first + 1 > static_cast<double>(max_count)) {
    step = nice_step(1.5 * step);
    first = std::ceil(span.low / step - slack);
    last = std::floor(span.high / step + slack);
  }
  std::vector<double> values;
  for (double k = first; k <= last; ++k) values.push_back(k * step);
  return label_linear(values, step);
}

std::vector<Tick> log_ticks(const Span& span, std::size_t max_count) {
  const double decades = std::log10(span.high) - std::log10(span.low);
  for (const std::size_t enough : {3u, 2u}) {
    // Powers of ten cannot fill an axis of less than a decade: even steps read better there.
    if (enough < 3 && decades < 1) {
      std::vector<Tick> ticks = linear_ticks(span, max_count, false);
      keep_apart(ticks, span, max_count);
      return ticks;
    }
    if (decades >= static_cast<double>(max_count)) break;
    for (const auto& digits : {std::vector{1, 2, 5}, std::vector{1, 3}, std::vector{1}}) {
      std::vector<Tick> ticks = powers_with_digits(span, digits);
      if (ticks.size() >= enough && ticks.size() <= max_count) return ticks;
    }
  }
  int every = 1;
  while (decades / every + 1 > static_cast<double>(max_count)) {
    every = static_cast<int>(nice_step(every + 1));
  }
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::floor(std::log10(span.low) / every)) * every;
  for (int e = first; e <= floor_log10(span.high); e += every) ticks.push_back(power_tick(e, 1));
  keep_inside(ticks, span);
  label_powers(ticks);
  return ticks;
}

std::vector<Tick> axis_ticks(const Axis& axis, const Span& span, std::size_t max_count) {
  if (axis.scale == Scale::kLog10) return log_ticks(span, max_count);
  return linear_ticks(span, max_count, axis.integers);
}

AxisMap::AxisMap(Scale scale, Span span, double pixel_low, double pixel_high)
    : scale_(scale), span_(span), pixel_low_(pixel_low), pixel_high_(pixel_high) {}

double AxisMap::operator()(double value) const {
  double part = (value - span_.low) / (span_.high - span_.low);
  if (scale_ == Scale::kLog10) {
    part = (std::log10(value) - std::log10(span_.low)) /
           (std::log10(span_.high) - std::log10(span_.low));
  }
  // A number far outside a fixed axis must not become a coordinate that viewers cannot hold.
  part = std::clamp(part, -4.0, 5.0);
  return pixel_low_ + part * (pixel_high_ - pixel_low_);
}

bool AxisMap::shows(double value) const {
  return drawable(value, scale_) && value >= span_.low && value <= span_.high;
}

}  // namespace duets::report
