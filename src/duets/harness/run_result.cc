#include "duets/harness/run_result.h"

#include <fmt/format.h>

namespace duets::harness {

const std::string* choice_at(const RunResult& result, std::size_t coordinate, double value) {
  if (coordinate >= result.coordinate_choices.size()) return nullptr;
  const std::vector<std::string>& choices = result.coordinate_choices[coordinate];
  const bool stands_for_one = value >= 0 && value < static_cast<double>(choices.size());
  return stands_for_one ? &choices[static_cast<std::size_t>(value)] : nullptr;
}

std::string value_text(const RunResult& result, std::size_t coordinate, double value, int digits) {
  const std::string* choice = choice_at(result, coordinate, value);
  return choice != nullptr ? *choice : fmt::format("{:.{}g}", value, digits);
}

}  // namespace duets::harness
