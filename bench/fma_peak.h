// Measures the most that a core can do: the yardstick for "share of the peak".
#pragma once

namespace duets::bench {

/// Floating-point operations a second of one core, a fused multiply-add counted as two: independent
/// chains of full vectors in registers, the best of several short stretches of processor time.
/// Throws std::logic_error when the chains do not end where they must.
double fma_peak();

}  // namespace duets::bench
