#include "duets/domain/shown_value.h"

#include <fmt/format.h>

#include <cmath>

namespace duets::domain {
namespace {

constexpr double kMaxExactWhole = 9007199254740992.0;  // 2^53

bool is_whole(double value) {
  return std::abs(value) <= kMaxExactWhole && value == std::floor(value);
}

}  // namespace

ShownValue shown_value(std::span<const Parameter> parameters, std::size_t coordinate,
                       double value) {
  if (coordinate >= parameters.size() || !is_whole(value)) return value;
  const Parameter& parameter = parameters[coordinate];
  const auto whole = static_cast<std::int64_t>(value);
  if (has_choices(parameter)) {
    const auto index = static_cast<std::uint64_t>(whole);  // one below 0 is beyond every choice
    if (index < parameter.choices.size()) return parameter.choices[index];
  } else if (spacing(parameter) > 0) {
    return whole;
  }
  return value;
}

std::string to_text(const ShownValue& value) {
  if (const auto* choice = std::get_if<std::string>(&value)) return *choice;
  return std::visit([](const auto& number) { return fmt::format("{}", number); }, value);
}

std::string to_text(const ShownValue& value, int digits) {
  const auto* number = std::get_if<double>(&value);
  return number != nullptr ? fmt::format("{:.{}g}", *number, digits) : to_text(value);
}

}  // namespace duets::domain
