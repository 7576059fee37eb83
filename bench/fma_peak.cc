#include "fma_peak.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>

#include "process.h"

namespace duets::bench {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kBytes = 64;
#elif defined(__AVX__)
constexpr std::size_t kBytes = 32;
#else
constexpr std::size_t kBytes = 16;
#endif
constexpr std::size_t kLanes = kBytes / sizeof(double);
typedef double Lanes __attribute__((vector_size(kBytes)));

// Latency times units is 8 to 10 on today's cores, and all chains fit into 16 registers.
constexpr std::size_t kChains = 12;
constexpr std::size_t kSteps = 2'000'000;

// x <- x/2 + 1/2 in every lane, kSteps times: ends at exactly 1. This file alone is compiled with
// contraction (CMakeLists.txt), so each step is one fused operation.
double run_chains(Lanes half) {
  std::array<Lanes, kChains> x;
  for (std::size_t c = 0; c < kChains; ++c) x[c] = half * static_cast<double>(c + 3);
  for (std::size_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 12
    for (std::size_t c = 0; c < kChains; ++c) x[c] = x[c] * half + half;
  }
  double sum = 0;
  for (const Lanes& lanes : x) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sum += lanes[lane];
  }
  return sum;
}

}  // namespace

double fma_peak() {
  constexpr int kStretches = 25;
  volatile double hidden = 0.5;  // the compiler must not know how the chains end
  const Lanes half = Lanes{} + hidden;
  double shortest = 1e300;
  for (int i = 0; i < kStretches; ++i) {
    const double begun = processor_seconds();
    const double sum = run_chains(half);
    shortest = std::min(shortest, processor_seconds() - begun);
    if (sum != static_cast<double>(kChains * kLanes)) {
      throw std::logic_error("the chains of the peak did not end at 1");
    }
  }
  return 2.0 * static_cast<double>(kSteps * kChains * kLanes) / shortest;
}

}  // namespace duets::bench
