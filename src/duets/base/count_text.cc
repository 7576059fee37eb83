#include "duets/base/count_text.h"

#include <fmt/format.h>

namespace duets::base {

std::string count_text(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace duets::base
