// Named parameters, the quantities that a user tunes: each is one latent number in [0, 1].
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "duets/base/enum_table.h"

namespace duets::domain {

enum class ParameterType : std::uint8_t { kFloat = 0, kInt = 1, kCategorical = 2 };

constexpr auto enum_entries(ParameterType /*tag*/) {
  return base::entries<ParameterType>({{ParameterType::kFloat, "float"},
                                       {ParameterType::kInt, "int"},
                                       {ParameterType::kCategorical, "categorical"}});
}

/// One tunable parameter. Bounds are inclusive.
struct Parameter {
  std::string name;
  ParameterType type = ParameterType::kFloat;
  double low = 0;    ///< finite; > 0 when `log`
  double high = 1;   ///< finite; > low for float, >= low for int
  bool log = false;  ///< uniform in the exponent; not for categorical
  double step =
      1;  ///< int only: the values are low, low + step, .. <= high; whole, >= 1; 1 when log
  std::vector<std::string> choices = {};  ///< categorical only: at least one, all different

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// Throws kInvalid naming space.<name>.<field>.
void validate(const Parameter& parameter);

/// Its values are names, numbered from 0.
bool has_choices(const Parameter& parameter);

/// Neighbouring values are alike: all but categories.
bool is_ordered(const Parameter& parameter);

/// How far apart neighbouring values are; 0 when the parameter has every number of its range.
double spacing(const Parameter& parameter);

/// How many values the parameter has; infinite when it has every number of its range.
double num_levels(const Parameter& parameter);

/// The number of a value among these, from 0. Only where they are finitely many. Strict.
double level_at(const Parameter& parameter, double latent);

/// How many numbers the kernel sees for this parameter: the number of choices (one-hot) for a
/// categorical, 1 otherwise.
std::size_t num_features(const Parameter& parameter);

/// The value at a latent coordinate in [0, 1]: a number, or the index of the choice. Float is
/// affine, log is uniform in the exponent, int and categorical are snapped to their cell. Strict.
double value_at(const Parameter& parameter, double latent);

/// A latent coordinate with this value, the middle of its cell; of a logarithmic int a point of its
/// cell. NaN when the parameter does not have the value. Strict.
double latent_of(const Parameter& parameter, double value);

/// The features at a latent coordinate: the latent itself for a float; the centre of its
/// cell for an int (for a log int: the position of the value in the exponent); one-hot for a
/// categorical. `out` has num_features entries. Strict.
void features_at(const Parameter& parameter, double latent, std::span<double> out);

/// The value of each parameter, as value_at, from the features of a point: the inverse of
/// features_at. A categorical is the largest of its numbers, the first of equal ones. kInvalid
/// when the number of features does not fit. Strict.
std::vector<double> values_of_features(std::span<const Parameter> parameters,
                                       std::span<const double> features);

/// The mean squared distance, as the kernel sees it, of two independent uniform latents. Strict.
double mean_squared_distance(const Parameter& parameter);

}  // namespace duets::domain
