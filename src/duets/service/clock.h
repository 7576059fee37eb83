// Time spans of the service: seconds in a double, on a steady clock.
#pragma once

#include <chrono>

namespace duets::service {

using Clock = std::chrono::steady_clock;

inline Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
}

inline double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

}  // namespace duets::service
