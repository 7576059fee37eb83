#include "duets/cli/queries_text.h"

#include <fmt/format.h>

#include "duets/base/count_text.h"

namespace duets::cli {

std::string queries_text(std::uint32_t agents, std::uint32_t horizon, bool in_sentence) {
  return fmt::format(
      "{} x {} = {}", base::count_text(agents, "agent", "agents"),
      in_sentence ? base::count_text(horizon, "query", "queries") : std::to_string(horizon),
      std::uint64_t{agents} * horizon);
}

}  // namespace duets::cli
