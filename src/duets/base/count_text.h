// Text for a count, in the singular or the plural.
#pragma once

#include <cstdint>
#include <string>

namespace duets::base {

/// "1 agent", "3 agents".
std::string count_text(std::uint64_t count, const char* one, const char* many);

}  // namespace duets::base
