// Splits a box into the parts that parameters with few values make.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/domain/domain.h"

namespace duets::domain {

/// The part of each point, numbered from 0.
using Partition = std::vector<std::uint32_t>;

/// The ways to split these latent points, none on domains without parameters:
///   * by the combination of choices. Categorical parameters count in their order as long as there
///     are at most `most` combinations; a parameter that would make more does not split;
///   * by every ordered parameter with at most `few` values, each by itself.
/// Strict.
std::vector<Partition> partitions_of(const Domain& domain, const numeric::Points& latents,
                                     std::uint32_t most, std::uint32_t few);

}  // namespace duets::domain
