// Any text as a file of answers: kInvalid naming the file, or rows with finite values.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "duets/base/error.h"
#include "duets/cli/answers_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<cli::OfflineAnswer> answers;
  try {
    answers = cli::parse_answers(text, "fuzz.csv");
  } catch (const base::Error& error) {
    const bool named = std::string_view(error.what()).find("fuzz.csv") != std::string_view::npos;
    if (error.kind() != base::ErrorKind::kInvalid || !named) std::abort();
    return 0;
  }
  for (const cli::OfflineAnswer& answer : answers) {
    if (answer.line < 2 || !std::isfinite(answer.value)) std::abort();
  }
  return 0;
}
