#include "duets/kernel/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "duets/numeric/strict.h"

namespace duets::kernel {

// By the chain rule from the shapes in kernel.h; the factor 1/r of grad r cancels in all but
// Matern 1/2.
double slope(Family family, double squared_distance) {
  using numeric::strict_exp;
  const double r = std::sqrt(squared_distance);
  switch (family) {
    case Family::kSquaredExponential:
      return strict_exp(-squared_distance / 2);
    case Family::kMatern12:
      return r > 0 ? strict_exp(-r) / r : 0;
    case Family::kMatern32:
      return 3 * strict_exp(-(std::sqrt(3.0) * r));
    case Family::kMatern52: {
      const double a = std::sqrt(5.0) * r;
      return 5.0 / 3 * (1 + a) * strict_exp(-a);
    }
  }
  return 0;
}

ShapeBound shape_bound(Family family, double r) {
  ShapeBound s;
  switch (family) {
    case Family::kSquaredExponential:
      s = {true, 1.0, 0.5 * r * r, r, std::sqrt(0.5) * r * r};
      break;
    case Family::kMatern12:
      s = {false, 0.0, r, std::sqrt(2 * r), std::numeric_limits<double>::infinity()};
      break;
    case Family::kMatern32: {
      const double a = std::sqrt(3.0) * r;
      s = {true, 3.0, 0.5 * a * a, a, 2 / std::sqrt(3.0) * (a * std::sqrt(a))};
      break;
    }
    case Family::kMatern52: {
      const double a = std::sqrt(5.0) * r;
      s = {true, 5.0 / 3.0, a * a / 6, a / std::sqrt(3.0), std::sqrt(2.0) / 3 * (a * a)};
      break;
    }
  }
  s.loss = std::min(1.0, s.loss);
  s.zeroth = std::min(1.0, s.zeroth);
  return s;
}

Kernel slope_kernel(const Kernel& kernel) {
  Kernel slope = kernel;
  const auto rescale = [&](Family family, double factor, double height) {
    slope.family = family;
    for (double& scale : slope.lengthscales) scale = scale * factor;
    slope.variance = slope.variance * height;
  };
  if (kernel.family == Family::kMatern32) rescale(Family::kMatern12, std::sqrt(1.0 / 3.0), 3.0);
  if (kernel.family == Family::kMatern52) {
    rescale(Family::kMatern32, std::sqrt(3.0 / 5.0), 5.0 / 3.0);
  }
  return slope;
}

}  // namespace duets::kernel
