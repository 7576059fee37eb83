// Derives the secret of a simulation from its seed.
#pragma once

#include <cstdint>

#include "duets/random/coin.h"

namespace duets::random {

/// The key of StudySecret::from_seed (docs/formats/coins.md). A seed is not a secret: anyone who
/// guesses it has the key.
Key key_of_seed(std::uint64_t seed);

}  // namespace duets::random
