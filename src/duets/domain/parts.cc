#include "duets/domain/parts.h"

namespace duets::domain {
namespace {

/// Each part becomes one for each value of parameter k.
void split(Partition& parts, const Parameter& parameter, const numeric::Points& latents,
           std::size_t k) {
  const auto levels = static_cast<std::uint32_t>(num_levels(parameter));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double latent = latents(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
    parts[i] = parts[i] * levels + static_cast<std::uint32_t>(level_at(parameter, latent));
  }
}

}  // namespace

// Neighbouring values of an ordered parameter tell about each other, so these are not combined:
// parts of combinations would be many, and keeping a share of each would keep nearly all.
std::vector<Partition> partitions_of(const Domain& domain, const numeric::Points& latents,
                                     std::uint32_t most, std::uint32_t few) {
  const Partition whole(static_cast<std::size_t>(latents.rows()), 0);
  Partition combinations = whole;
  double num_combinations = 1;
  std::vector<Partition> partitions;
  for (std::size_t k = 0; k < domain.parameters().size(); ++k) {
    const Parameter& parameter = domain.parameters()[k];
    const double levels = num_levels(parameter);
    if (is_ordered(parameter)) {
      if (levels <= few) split(partitions.emplace_back(whole), parameter, latents, k);
    } else if (num_combinations * levels <= most) {
      num_combinations *= levels;
      split(combinations, parameter, latents, k);
    }
  }
  if (num_combinations > 1) partitions.push_back(std::move(combinations));
  return partitions;
}

}  // namespace duets::domain
