#include "duets/domain/parts.h"

namespace duets::domain {

std::vector<std::uint32_t> parts_of(const Domain& domain, const numeric::Points& latents,
                                    std::uint32_t most) {
  std::vector<std::uint32_t> parts(static_cast<std::size_t>(latents.rows()), 0);
  std::uint64_t num_parts = 1;
  for (std::size_t k = 0; k < domain.parameters().size(); ++k) {
    const Parameter& parameter = domain.parameters()[k];
    if (is_ordered(parameter)) continue;
    const auto num_choices = static_cast<std::uint32_t>(parameter.choices.size());
    if (num_parts * num_choices > most) continue;
    num_parts *= num_choices;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double latent = latents(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k));
      parts[i] = parts[i] * num_choices + static_cast<std::uint32_t>(value_at(parameter, latent));
    }
  }
  return parts;
}

}  // namespace duets::domain
