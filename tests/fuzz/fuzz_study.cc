// Any text: parse_study throws kInvalid in one line, or gives a study whose resolved form is the
// same study again.
#include <cstdlib>
#include <string>

#include "duets/base/error.h"
#include "duets/cli/study_file.h"
#include "tiny_study.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (fuzz::has_large_number(text)) return 0;
  cli::StudyFile file;
  try {
    file = cli::parse_study(text, "fuzz.toml", "/nonexistent");
  } catch (const base::Error& error) {
    const std::string_view message = error.what();
    const bool one_line = message.find('\n') == std::string_view::npos;
    if (error.kind() != base::ErrorKind::kInvalid || !one_line) std::abort();
    if (!message.starts_with("fuzz.toml:")) std::abort();
    return 0;
  }
  const cli::StudyFile again =
      cli::parse_study(cli::resolved_toml(file), "again.toml", "/nonexistent");
  if (protocol::study_digest(again.study) != protocol::study_digest(file.study)) std::abort();
  return 0;
}
