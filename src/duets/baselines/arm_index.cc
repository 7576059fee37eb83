#include "duets/baselines/arm_index.h"

#include <algorithm>
#include <numeric>

#include "duets/base/error.h"

namespace duets::baselines {
namespace {

std::span<const double> row(const numeric::Points& points, std::size_t i) {
  const auto d = static_cast<std::size_t>(points.cols());
  return {points.data() + i * d, d};
}

bool before(std::span<const double> a, std::span<const double> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

ArmIndex::ArmIndex(const numeric::Points& latents)
    : latents_(&latents), order_(static_cast<std::size_t>(latents.rows())) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    const std::span<const double> first = row(latents, a);
    const std::span<const double> second = row(latents, b);
    return before(first, second) || (!before(second, first) && a < b);
  });
}

std::optional<std::size_t> ArmIndex::find(std::span<const double> latent) const {
  const auto found = std::lower_bound(order_.begin(), order_.end(), latent,
                                      [&](std::size_t arm, std::span<const double> key) {
                                        return before(row(*latents_, arm), key);
                                      });
  if (found == order_.end() || before(latent, row(*latents_, *found))) return std::nullopt;
  return *found;
}

}  // namespace duets::baselines
