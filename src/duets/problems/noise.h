// Simulated noise: a function of agent and time, independent of the algorithm.
#pragma once

#include <cstdint>

#include "duets/base/ids.h"
#include "duets/random/coin.h"
#include "duets/random/noise_kind.h"

namespace duets::problems {

using random::NoiseKind;

struct Noise {
  NoiseKind kind = NoiseKind::kGaussian;
  double level = 0.2;  ///< finite, >= 0; 0: none. The R of "R-sub-Gaussian" that the theory needs

  friend bool operator==(const Noise&, const Noise&) = default;
};

/// Throws kInvalid, naming the field, when the noise breaks its constraints.
void validate(const Noise& noise);

/// The noise of agent's query number t (from 0), from the problem coin at Purpose::kNoise, slot t.
/// Strict. The same for every algorithm, so that comparisons are paired.
double draw_noise(const Noise& noise, const random::Coin& problem_coin, base::AgentId agent,
                  std::uint32_t t);

}  // namespace duets::problems
