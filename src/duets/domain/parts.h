// Splits a box into the parts that its categorical parameters make.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/domain/domain.h"

namespace duets::domain {

/// The part of each latent point: the combination of its choices, numbered from 0. Categorical
/// parameters count in their order as long as there are at most `most` combinations; a parameter
/// that would make more does not split. All 0 on other domains. Strict.
std::vector<std::uint32_t> parts_of(const Domain& domain, const numeric::Points& latents,
                                    std::uint32_t most);

}  // namespace duets::domain
