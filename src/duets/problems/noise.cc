#include "duets/problems/noise.h"

#include <cmath>
#include <string>

#include "duets/base/error.h"

namespace duets::problems {

void validate(const Noise& noise) {
  base::enum_of<NoiseKind>(static_cast<std::uint64_t>(noise.kind), "noise.kind");
  base::require(noise.level >= 0 && std::isfinite(noise.level), "noise.level",
                std::to_string(noise.level), "must be finite and at least 0");
}

double draw_noise(const Noise& noise, const random::Coin& problem_coin, base::AgentId agent,
                  std::uint32_t t) {
  if (noise.level == 0) return 0;
  const random::Address address{
      .purpose = random::Purpose::kNoise, .agent = base::value(agent), .slot = t};
  double draw = 0;
  switch (noise.kind) {
    case NoiseKind::kGaussian:
      problem_coin.normals(address, {&draw, 1});
      return noise.level * draw;
    case NoiseKind::kBounded:
      problem_coin.uniforms(address, {&draw, 1});
      return noise.level * (2 * draw - 1);
  }
  return 0;
}

}  // namespace duets::problems
