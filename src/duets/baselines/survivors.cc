#include "duets/baselines/survivors.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "duets/base/error.h"
#include "duets/baselines/acquisition.h"

namespace duets::baselines {

using numeric::Vector;

Survivors::Survivors(std::size_t num_arms) : arms_(num_arms) {
  base::require(num_arms >= 1, "arms", "none", "at least one is needed");
  std::iota(arms_.begin(), arms_.end(), std::size_t{0});
}

void Survivors::cut(const Vector& mean, const Vector& variance, double beta) {
  const double largest_lower = masked(confidence_bound(mean, variance, -beta)).maxCoeff();
  const Vector upper = confidence_bound(mean, variance, beta);
  std::erase_if(arms_, [&](std::size_t arm) {
    return !(upper[static_cast<Eigen::Index>(arm)] >= largest_lower);
  });
}

Vector Survivors::masked(const Vector& values) const {
  Vector out = Vector::Constant(values.size(), -std::numeric_limits<double>::infinity());
  for (const std::size_t arm : arms_) {
    out[static_cast<Eigen::Index>(arm)] = values[static_cast<Eigen::Index>(arm)];
  }
  return out;
}

}  // namespace duets::baselines
