// Any line as a program's answer: a finite value, an infeasible point, or a failure told in one
// line.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "duets/service/program_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const service::Answer answer = service::read_answer(line, "2-1-3");
  if (const auto* value = std::get_if<service::Value>(&answer)) {
    if (!std::isfinite(value->value)) std::abort();
  } else if (const auto* failure = std::get_if<service::Failure>(&answer)) {
    if (failure->why.empty() || failure->why.find('\n') != std::string::npos) std::abort();
  } else if (!std::holds_alternative<service::Infeasible>(answer)) {
    std::abort();
  }
  constexpr std::size_t kLimit = 50;
  if (service::readable_output(line, kLimit).size() > kLimit) std::abort();
  return 0;
}
