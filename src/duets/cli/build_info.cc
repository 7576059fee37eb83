#include "duets/cli/build_info.h"

#include <fmt/format.h>

#include <fstream>

#include "duets/cluster/mpi_transport.h"
#include "duets/numeric/strict_simd.h"
#include "duets/region/fingerprint.h"

namespace duets::cli {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(':');
    if (line.rfind("model name", 0) == 0 && colon + 2 < line.size()) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

std::string version() { return DUETS_VERSION; }

std::vector<std::pair<std::string, std::string>> build_facts() {
  return {{"version", version()},
          {"compiler", compiler()},
          {"vector_bytes", fmt::format("{}", DUETS_VECTOR_BYTES)},
          {"processor", processor()},
          {"fingerprint", base::to_hex(region::numeric_fingerprint())},
          {"mpi", cluster::mpi_version()}};
}

}  // namespace duets::cli
