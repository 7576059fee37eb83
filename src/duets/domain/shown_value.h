// Writes a parameter's value, for every text, table, file and JSON: the only place that decides the
// form.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "duets/domain/parameter.h"

namespace duets::domain {

/// A choice, a whole number, or any other number. JSON shows each unchanged.
using ShownValue = std::variant<std::string, std::int64_t, double>;

/// The form of coordinate `coordinate` of Domain::values. `parameters` are those of a box; where
/// there are none (a ball, a finite set) a coordinate is a number. A value from another machine
/// that the parameter cannot have is shown as a plain number.
ShownValue shown_value(std::span<const Parameter> parameters, std::size_t coordinate, double value);

/// With enough digits to read back as the same number.
std::string to_text(const ShownValue& value);
/// For people: `digits` significant digits of a number that is not whole by type.
std::string to_text(const ShownValue& value, int digits);

}  // namespace duets::domain
