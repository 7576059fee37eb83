#include "duets/domain/parameter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"

namespace duets::domain {
namespace {

constexpr double kMaxLevels = 1e9;

double clamp_unit(double latent) { return std::clamp(latent, 0.0, 1.0); }

// The cell of a latent when [0, 1] is cut into n equal cells; 1 belongs to the last.
double cell_of(double latent, double n) {
  return std::min(std::floor(clamp_unit(latent) * n), n - 1);
}

// The exponent range of a log parameter. An int owns half a unit around each value, so that its
// first and last value get a cell like the others.
struct LogRange {
  double low, high;
};

LogRange log_range(const Parameter& p) {
  const double margin = p.type == ParameterType::kInt ? 0.5 : 0.0;
  return {numeric::strict_log(p.low - margin), numeric::strict_log(p.high + margin)};
}

double log_value(const Parameter& p, double latent) {
  // exp(log(low)) may miss low by a rounding; the bounds are inclusive and exact.
  if (latent <= 0) return p.low;
  if (latent >= 1) return p.high;
  const LogRange range = log_range(p);
  const double value = numeric::strict_exp(range.low + (range.high - range.low) * latent);
  const double snapped = p.type == ParameterType::kInt ? std::floor(value + 0.5) : value;
  return std::clamp(snapped, p.low, p.high);
}

void validate_numeric(const Parameter& p, const std::string& field) {
  using base::require;
  require(std::isfinite(p.low), field + ".low", fmt::format("{}", p.low), "must be finite");
  require(std::isfinite(p.high), field + ".high", fmt::format("{}", p.high), "must be finite");
  if (p.type == ParameterType::kFloat) {
    require(p.low < p.high, field + ".high", fmt::format("{}", p.high),
            fmt::format("must be greater than low = {}", p.low));
    require(std::isfinite(p.high - p.low), field + ".high", fmt::format("{}", p.high),
            "high - low must be finite");
  } else {
    require(p.low == std::floor(p.low), field + ".low", fmt::format("{}", p.low),
            "must be a whole number");
    require(p.high == std::floor(p.high), field + ".high", fmt::format("{}", p.high),
            "must be a whole number");
    require(p.low <= p.high, field + ".high", fmt::format("{}", p.high),
            fmt::format("must be at least low = {}", p.low));
    require(p.step >= 1 && p.step == std::floor(p.step), field + ".step", fmt::format("{}", p.step),
            "must be a whole number, at least 1");
    require(num_levels(p) <= kMaxLevels, field + ".high", fmt::format("{}", p.high),
            "at most 1e9 values");
    require(!p.log || p.step == 1, field + ".step", fmt::format("{}", p.step),
            "must be 1 when log = true");
  }
  require(!p.log || p.low > 0, field + ".low", fmt::format("{}", p.low),
          "must be positive when log = true");
}

}  // namespace

void validate(const Parameter& p) {
  using base::require;
  require(!p.name.empty(), "space", "\"\"", "a parameter needs a name");
  const std::string field = "space." + p.name;
  if (!has_choices(p)) {
    validate_numeric(p, field);
    require(p.choices.empty(), field + ".choices", fmt::format("{} entries", p.choices.size()),
            "only a categorical parameter has choices");
    return;
  }
  require(!p.choices.empty(), field + ".choices", "[]", "needs at least one choice");
  const std::set<std::string> different(p.choices.begin(), p.choices.end());
  require(different.size() == p.choices.size(), field + ".choices",
          fmt::format("{} entries", p.choices.size()), "must all be different");
  require(!p.log, field + ".log", "true", "a categorical parameter has no exponent");
}

bool has_choices(const Parameter& p) { return p.type == ParameterType::kCategorical; }

bool is_ordered(const Parameter& p) { return p.type != ParameterType::kCategorical; }

double spacing(const Parameter& p) {
  if (p.type == ParameterType::kFloat) return 0;
  return has_choices(p) ? 1 : p.step;
}

double num_levels(const Parameter& p) {
  if (has_choices(p)) return static_cast<double>(p.choices.size());
  if (p.type == ParameterType::kFloat) return std::numeric_limits<double>::infinity();
  return std::floor((p.high - p.low) / p.step) + 1;
}

double level_at(const Parameter& p, double latent) {
  const double value = value_at(p, latent);
  return has_choices(p) ? value : (value - p.low) / p.step;
}

std::size_t num_features(const Parameter& p) { return is_ordered(p) ? 1 : p.choices.size(); }

double value_at(const Parameter& p, double latent) {
  if (has_choices(p)) return cell_of(latent, num_levels(p));
  if (p.log) return log_value(p, latent);
  if (p.type == ParameterType::kInt) return p.low + p.step * cell_of(latent, num_levels(p));
  return std::min(p.low + (p.high - p.low) * clamp_unit(latent), p.high);
}

double latent_of(const Parameter& p, double value) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const double low = has_choices(p) ? 0 : p.low;
  const double high = has_choices(p) ? num_levels(p) - 1 : p.high;
  if (!(value >= low && value <= high)) return kNone;
  if (p.type == ParameterType::kFloat && !p.log) return (value - low) / (high - low);
  if (p.log) {
    if (p.type == ParameterType::kInt && value != std::floor(value)) return kNone;
    const LogRange range = log_range(p);
    return clamp_unit((numeric::strict_log(value) - range.low) / (range.high - range.low));
  }
  const double cell = (value - low) / spacing(p);
  if (cell != std::floor(cell)) return kNone;
  return (cell + 0.5) / num_levels(p);
}

void features_at(const Parameter& p, double latent, std::span<double> out) {
  if (!is_ordered(p)) {
    std::fill(out.begin(), out.end(), 0.0);
    out[static_cast<std::size_t>(cell_of(latent, num_levels(p)))] = 1.0;
  } else if (p.type == ParameterType::kFloat) {
    out[0] = latent;
  } else if (p.log) {
    const LogRange range = log_range(p);
    const double span = range.high - range.low;
    out[0] = (numeric::strict_log(log_value(p, latent)) - range.low) / span;
  } else {
    const double n = num_levels(p);
    out[0] = (cell_of(latent, n) + 0.5) / n;
  }
}

std::vector<double> values_of_features(std::span<const Parameter> parameters,
                                       std::span<const double> features) {
  std::vector<double> values;
  values.reserve(parameters.size());
  std::size_t end = 0;
  for (const Parameter& p : parameters) {
    const std::size_t first = end;
    end += num_features(p);
    if (end > features.size()) break;
    const auto own = features.subspan(first, end - first);
    const auto largest = std::max_element(own.begin(), own.end()) - own.begin();
    // The centre of a cell lies in the cell, so a snapped number needs no other rule.
    values.push_back(is_ordered(p) ? value_at(p, own[0]) : static_cast<double>(largest));
  }
  if (end != features.size()) {
    base::refuse("features", fmt::format("{}", features.size()),
                 "must be as many as the parameters have");
  }
  return values;
}

double mean_squared_distance(const Parameter& p) {
  constexpr double kInterval = 1.0 / 6;
  // Different choices are sqrt(2) apart.
  if (!is_ordered(p)) return 2 - 2 / static_cast<double>(p.choices.size());
  if (p.type == ParameterType::kFloat) return kInterval;
  // The centres of n equal cells; used for a logarithmic parameter too.
  const double n = num_levels(p);
  return kInterval - kInterval / (n * n);
}

}  // namespace duets::domain
