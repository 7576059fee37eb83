// Any text: parse_participation throws kInvalid with its place, or gives a record that fits the
// study.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

#include "duets/base/error.h"
#include "duets/cli/participation_file.h"
#include "tiny_study.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  static const auto study = fuzz::tiny_study(true);
  static const auto lengths = protocol::lengths(*study);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  protocol::Participation participation;
  try {
    participation = cli::parse_participation(text, "fuzz.toml", *study);
  } catch (const base::Error& error) {
    const std::string_view message = error.what();
    const bool one_line = message.find('\n') == std::string_view::npos;
    if (error.kind() != base::ErrorKind::kInvalid || !one_line) std::abort();
    if (!message.starts_with("fuzz.toml:")) std::abort();
    return 0;
  }
  for (const auto& [epoch, absence] : participation) {
    if (epoch < 1 || epoch > lengths.size()) std::abort();
    if (absence.excluded.size() >= study->agents) std::abort();
    for (const auto& [agent, slots] : absence.holes) {
      if (agent >= study->agents) std::abort();
      if (!slots.empty() && slots.back() >= lengths[epoch - 1]) std::abort();
      if (std::ranges::adjacent_find(slots, std::greater_equal<>()) != slots.end()) std::abort();
    }
  }
  return 0;
}
