// Any output of a program, line by line: a finite value, an infeasible point, a failure described
// in one line, or a line of its log.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "duets/service/program_lines.h"
#include "duets/service/program_text.h"

namespace {

using namespace duets;

void check(std::string_view line) {
  const std::optional<service::Answer> answer = service::read_answer(line, "2-1-3");
  if (!answer) {
    if (line.size() <= service::ProgramLines::kMaxLine && service::is_number_line(line))
      std::abort();
    return;
  }
  if (const auto* value = std::get_if<service::Value>(&*answer)) {
    if (!std::isfinite(value->value)) std::abort();
  } else if (const auto* failure = std::get_if<service::Failure>(&*answer)) {
    if (failure->why.empty() || failure->why.find('\n') != std::string::npos) std::abort();
  } else if (!std::holds_alternative<service::Infeasible>(*answer)) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view output(reinterpret_cast<const char*>(data), size);
  check(output);
  service::ProgramLines lines;
  // In two parts, as a pipe may give it.
  lines.take(output.substr(0, size / 2));
  lines.take(output.substr(size / 2));
  lines.end();
  while (const std::optional<std::string> line = lines.next()) {
    if (line->find('\n') != std::string::npos) std::abort();
    check(*line);
  }
  constexpr std::size_t kLimit = 50;
  if (service::readable_output(output, kLimit).size() > kLimit) std::abort();
  return 0;
}
