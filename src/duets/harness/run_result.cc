#include "duets/harness/run_result.h"

#include <fmt/format.h>

namespace duets::harness {

std::string value_text(const RunResult& result, std::size_t coordinate, double value, int digits) {
  const auto& choices = result.coordinate_choices;
  if (coordinate < choices.size() && !choices[coordinate].empty()) {
    return choices[coordinate].at(static_cast<std::size_t>(value));
  }
  return fmt::format("{:.{}g}", value, digits);
}

}  // namespace duets::harness
