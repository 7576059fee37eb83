// How a parameter's value is written, in every text, table, file and JSON: this is the only place
// that decides it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "duets/domain/parameter.h"

namespace duets::domain {

/// A categorical's choice, an int's whole number, any other number. JSON takes each as it is.
using ShownValue = std::variant<std::string, std::int64_t, double>;

/// The form of coordinate `coordinate` of Domain::values. `parameters` are those of a box; where
/// there are none (a ball, a finite set) a coordinate is a number. A value that the parameter
/// cannot have, from another machine, is shown as the number it is.
ShownValue shown_value(std::span<const Parameter> parameters, std::size_t coordinate, double value);

/// With as many digits as bring the same number back.
std::string to_text(const ShownValue& value);
/// For people: `digits` significant digits of a number that is not whole by type.
std::string to_text(const ShownValue& value, int digits);

}  // namespace duets::domain
