// The secret that a seed stands for.
#pragma once

#include <cstdint>

#include "duets/random/coin.h"

namespace duets::random {

/// The key of StudySecret::from_seed (docs/formats/coins.md). A seed is no secret: whoever guesses
/// it has the key.
Key key_of_seed(std::uint64_t seed);

}  // namespace duets::random
