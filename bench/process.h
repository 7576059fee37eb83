// Time and memory of a benchmark's own process.
#pragma once

#include <cstdint>
#include <functional>

namespace duets::bench {

/// Processor time of this process so far, all threads: a busy machine disturbs it little.
double processor_seconds();

/// The most memory this process ever had, in KiB; 0 where the system does not tell.
std::uint64_t peak_memory_kib();

/// The shortest of at least one call, and of as many as fit into `budget` seconds of processor
/// time.
double shortest_call(double budget, const std::function<void()>& body);

}  // namespace duets::bench
