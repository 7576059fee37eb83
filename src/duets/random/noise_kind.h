// The noise that a study file asks for and a simulation draws.
#pragma once

#include <cstdint>

#include "duets/base/enum_table.h"

namespace duets::random {

enum class NoiseKind : std::uint8_t {
  kGaussian = 0,  ///< the level is the standard deviation
  kBounded = 1,   ///< uniform on [-level, level)
};

constexpr auto enum_entries(NoiseKind /*tag*/) {
  return base::entries<NoiseKind>(
      {{NoiseKind::kGaussian, "gaussian"}, {NoiseKind::kBounded, "bounded"}});
}

}  // namespace duets::random
