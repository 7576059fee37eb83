// The kernels' formulas as printed, in extended precision and with the library's exp: what tests
// compare the strict ones with.
#pragma once

#include <cmath>
#include <cstddef>

#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::kernel::test {

/// shape(r) at r^2.
inline long double formula(Family family, long double r2) {
  if (family == Family::kSquaredExponential) return std::exp(-r2 / 2);
  if (family == Family::kMatern12) return std::exp(-std::sqrt(r2));
  const long double a = std::sqrt((family == Family::kMatern32 ? 3 : 5) * r2);
  return (1 + a + (family == Family::kMatern52 ? a * a / 3 : 0)) * std::exp(-a);
}

/// k(a_i, b_j), distances included.
inline long double formula(const Kernel& kernel, const numeric::Points& a, Eigen::Index i,
                           const numeric::Points& b, Eigen::Index j) {
  const auto& scales = kernel.lengthscales;
  long double r2 = 0;
  for (Eigen::Index c = 0; c < a.cols(); ++c) {
    const long double scale = scales[scales.size() == 1 ? 0 : static_cast<std::size_t>(c)];
    const long double difference = (static_cast<long double>(a(i, c)) - b(j, c)) / scale;
    r2 += difference * difference;
  }
  return kernel.variance * formula(kernel.family, r2);
}

}  // namespace duets::kernel::test
