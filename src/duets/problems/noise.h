// Simulated noise: a function of agent and time, independent of the algorithm.
#pragma once

#include <cstdint>

#include "duets/base/enum_table.h"
#include "duets/base/ids.h"
#include "duets/random/coin.h"

namespace duets::problems {

enum class NoiseKind : std::uint8_t {
  kNone,      ///< always 0
  kGaussian,  ///< normal with standard deviation `level`
  kBounded,   ///< uniform on [-level, level)
};

constexpr auto enum_entries(NoiseKind /*tag*/) {
  return base::entries<NoiseKind>({{NoiseKind::kNone, "none"},
                                   {NoiseKind::kGaussian, "gaussian"},
                                   {NoiseKind::kBounded, "bounded"}});
}

struct Noise {
  NoiseKind kind = NoiseKind::kGaussian;
  double level = 0.2;  ///< finite; > 0 for gaussian and bounded, not used for none

  friend bool operator==(const Noise&, const Noise&) = default;
};

/// Throws kInvalid, naming the field, when the noise breaks its constraints.
void validate(const Noise& noise);

/// The R of "R-sub-Gaussian" that the theory needs: the standard deviation, the bound, or 0.
double subgaussian_constant(const Noise& noise);

/// The noise of agent's query number t (from 0), from the problem coin at Purpose::kNoise, slot t.
/// Strict. The same for every algorithm, so that comparisons are paired.
double draw_noise(const Noise& noise, const random::Coin& problem_coin, base::AgentId agent,
                  std::uint32_t t);

}  // namespace duets::problems
