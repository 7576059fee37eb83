// Inputs that the tests of this module share.
#pragma once

#include <cmath>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

inline const std::vector<kernel::Family> kFamilies{
    kernel::Family::kSquaredExponential, kernel::Family::kMatern12, kernel::Family::kMatern32,
    kernel::Family::kMatern52};

/// Points of a lattice in the unit cube: spread out, all different, the same on every machine.
inline numeric::Points lattice(Eigen::Index n, Eigen::Index d, double shift = 0.5) {
  numeric::Points points(n, d);
  for (Eigen::Index k = 0; k < d; ++k) {
    const double step = std::sqrt(static_cast<double>(k + 2) + 0.21);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double x = shift + step * static_cast<double>(i + 1);
      points(i, k) = x - std::floor(x);
    }
  }
  return points;
}

inline numeric::Vector rewards_at(const numeric::Points& x) {
  return (3 * x.col(0).array()).cos() + 0.5 * (7 * x.rowwise().sum().array()).sin();
}

}  // namespace duets::gp
