#include "process.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

namespace duets::bench {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t peak_memory_kib() {
  // Not getrusage: its figure includes what the parent had before this program was loaded.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stoull(line.substr(6));
  }
  return 0;
}

double shortest_call(double budget, const std::function<void()>& body) {
  const double begun = processor_seconds();
  double shortest = std::numeric_limits<double>::infinity();
  do {
    const double start = processor_seconds();
    body();
    shortest = std::min(shortest, processor_seconds() - start);
  } while (processor_seconds() - begun < budget);
  return shortest;
}

}  // namespace duets::bench
