#include "duets/lab/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>
#include <utility>

#include "duets/base/error.h"
#include "duets/random/coin.h"

namespace duets::lab {
namespace {

// With four values most intervals would be tens of standard errors wide.
constexpr std::size_t kSmallestBootstrap = 5;

// Only operations that IEEE 754 rounds correctly, so that tables are the same bytes everywhere.
// Halving the angle twice leaves an argument below 0.2, where thirteen terms reach 1e-18.
double arc_tangent(double x) {
  if (x > 1) return std::numbers::pi / 2 - arc_tangent(1 / x);
  double y = x;
  for (int i = 0; i < 2; ++i) y = y / (1 + std::sqrt(1 + y * y));
  double sum = 0;
  for (int k = 12; k >= 0; --k) sum = (k % 2 == 0 ? 1.0 : -1.0) / (2 * k + 1) + y * y * sum;
  return 4 * y * sum;
}

void require_values(std::span<const double> values) {
  base::require(!values.empty(), "values", "none", "at least one is needed");
  for (const double v : values) {
    if (!std::isfinite(v)) base::refuse("values", std::to_string(v), "must be finite");
  }
}

bool all_equal(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

// A key of its own: no study's coins are touched.
random::Coin resampling_coin() {
  random::Key key{};
  const std::string name = "duets: resampling for bootstraps";
  std::copy_n(name.begin(), std::min(name.size(), key.size()), key.begin());
  return random::Coin(key);
}

// (mean of the resample - mean) / its standard error, for values whose mean is 0. Without spread it
// is as far out as can be.
double studentised(std::span<const double> centred, std::span<const std::uint32_t> indices) {
  const auto n = static_cast<double>(centred.size());
  double sum = 0;
  double squares = 0;
  for (const std::uint32_t i : indices) {
    sum += centred[i];
    squares += centred[i] * centred[i];
  }
  const double spread = squares - sum * sum / n;
  if (spread <= 1e-14 * squares) {
    if (sum == 0) return 0;
    return sum > 0 ? std::numeric_limits<double>::infinity()
                   : -std::numeric_limits<double>::infinity();
  }
  return sum / n / std::sqrt(spread / (n - 1) / n);
}

std::vector<std::uint32_t> draw_resample(const random::Coin& coin, std::uint32_t number,
                                         std::size_t size) {
  constexpr std::size_t kChunk = 1024;
  std::vector<std::uint32_t> indices;
  std::vector<std::uint64_t> words;
  for (std::size_t first = 0; first < size; first += kChunk) {
    words.resize(std::min(kChunk, size - first));
    coin.words({.purpose = random::Purpose::kPolicy,
                .slot = number,
                .attempt = static_cast<std::uint32_t>(first / kChunk)},
               words);
    for (const std::uint64_t word : words) {
      indices.push_back(static_cast<std::uint32_t>(random::index_below(word, size)));
    }
  }
  std::sort(indices.begin(), indices.end());
  return indices;
}

// A number and how often it was drawn.
using Counted = std::pair<double, std::size_t>;

// The number at place `rank` (from 1) of the sorted draws.
double order_statistic(const std::vector<Counted>& sorted, std::size_t rank) {
  std::size_t seen = 0;
  for (const auto& [value, count] : sorted) {
    seen += count;
    if (seen >= rank) return value;
  }
  return sorted.back().first;
}

Order order_of(const std::optional<Interval>& interval) {
  if (interval && interval->high < 0) return Order::kLower;
  if (interval && interval->low > 0) return Order::kHigher;
  return Order::kUndecided;
}

}  // namespace

double mean(std::span<const double> values) {
  require_values(values);
  double sum = 0;
  for (const double v : values) sum += v;
  // The mean of equal numbers is that number, whatever the sum rounds to.
  return all_equal(values) ? values.front() : sum / static_cast<double>(values.size());
}

std::optional<double> sample_stddev(std::span<const double> values) {
  const double centre = mean(values);
  if (values.size() < 2) return std::nullopt;
  double squares = 0;
  for (const double v : values) squares += (v - centre) * (v - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

// Abramowitz and Stegun 26.7.3 and 26.7.4: finite sums of positive terms, so nothing cancels.
double student_central(double t, std::size_t freedom) {
  base::require(t >= 0, "t", std::to_string(t), "must not be negative");
  base::require(freedom >= 1, "degrees of freedom", "0", "at least one is needed");
  if (t == std::numeric_limits<double>::infinity()) return 1;
  const auto nu = static_cast<double>(freedom);
  const double root = std::sqrt(nu + t * t);
  const double sine = t / root;
  const double cosine = std::sqrt(nu) / root;
  const bool odd = freedom % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = 0;
  for (std::size_t k = odd ? 1 : 0; k + 2 <= freedom; k += 2) {
    sum += term;
    const auto at = static_cast<double>(k);
    term *= cosine * cosine * (at + 1) / (at + 2);
  }
  if (!odd) return sine * sum;
  return 2 / std::numbers::pi * (arc_tangent(t / std::sqrt(nu)) + sine * sum);
}

double student_quantile(double level, std::size_t freedom) {
  base::require(level > 0 && level < 1, "level", std::to_string(level),
                "must lie strictly between 0 and 1");
  double high = 1;
  while (student_central(high, freedom) < level) high *= 2;
  double low = 0;
  // Every step halves the interval; 80 of them leave less than the spacing of doubles.
  for (int i = 0; i < 80; ++i) {
    const double middle = low + (high - low) / 2;
    (student_central(middle, freedom) < level ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

// Order does not matter in a resample. Five values have only 126 of them, so drawing 1999 and
// keeping each once makes the default study sixteen times faster.
Bootstrap::Bootstrap(std::size_t size) : size_(size) {
  if (size < kSmallestBootstrap) return;
  const random::Coin coin = resampling_coin();
  std::map<std::vector<std::uint32_t>, std::size_t> drawn;
  for (std::uint32_t i = 0; i < kResamples; ++i) ++drawn[draw_resample(coin, i, size)];
  for (const auto& [indices, count] : drawn) {
    indices_.insert(indices_.end(), indices.begin(), indices.end());
    counts_.push_back(count);
  }
}

std::optional<Interval> Bootstrap::mean_interval(std::span<const double> values) const {
  base::require(values.size() == size_, "number of values", std::to_string(values.size()),
                "must be " + std::to_string(size_));
  if (size_ < kSmallestBootstrap) return std::nullopt;
  const double centre = mean(values);
  if (all_equal(values)) return Interval{centre, centre};
  std::vector<double> centred(values.begin(), values.end());
  for (double& v : centred) v -= centre;
  std::vector<Counted> t(counts_.size());
  for (std::size_t b = 0; b < t.size(); ++b) {
    t[b] = {studentised(centred, std::span(indices_).subspan(b * size_, size_)), counts_[b]};
  }
  std::sort(t.begin(), t.end());
  constexpr std::size_t kTail = (kResamples + 1) / 40;  // 2.5 %
  const double low = order_statistic(t, kTail);
  const double high = order_statistic(t, kResamples + 1 - kTail);
  if (!std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
  const double error = *sample_stddev(values) / std::sqrt(static_cast<double>(size_));
  return Interval{centre - high * error, centre - low * error};
}

std::optional<double> Summary::standard_error() const {
  if (!stddev) return std::nullopt;
  return *stddev / std::sqrt(static_cast<double>(runs));
}

Summary summarise(std::span<const double> values, const Bootstrap& bootstrap) {
  return {values.size(), mean(values), sample_stddev(values), bootstrap.mean_interval(values)};
}

PairedDifference paired_difference(std::span<const double> first, std::span<const double> second,
                                   std::size_t family) {
  base::require(first.size() == second.size(), "number of paired values",
                std::to_string(second.size()), "must be " + std::to_string(first.size()));
  base::require(family >= 1, "family", "0", "at least one comparison");
  std::vector<double> differences(first.begin(), first.end());
  for (std::size_t i = 0; i < second.size(); ++i) differences[i] -= second[i];
  PairedDifference out{.runs = first.size(), .mean = mean(differences)};
  out.stddev = sample_stddev(differences);
  if (!out.stddev) return out;
  const auto n = static_cast<double>(out.runs);
  const double level = 1 - (1 - kConfidence) / static_cast<double>(family);
  const double half = student_quantile(level, out.runs - 1) * *out.stddev / std::sqrt(n);
  out.interval = Interval{out.mean - half, out.mean + half};
  out.order = order_of(out.interval);
  return out;
}

}  // namespace duets::lab
