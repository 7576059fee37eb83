#include "duets/protocol/short_weights.h"

#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cmath>

namespace duets::protocol {
namespace {

using numeric::Matrix;
using numeric::Vector;

/// Beyond this many halvings of the largest weight a number alone is as short.
constexpr int kMostHalvings = 30;
constexpr double kMostCodes = 0x1p31;
/// More inducing points are rounded one by one.
constexpr Eigen::Index kMostTogether = 512;

Matrix triangle(const Matrix& values) {
  if (values.cols() > std::min(kMostTogether, values.rows())) {
    return Matrix::Zero(values.cols(), values.cols());
  }
  const Eigen::HouseholderQR<Matrix> qr(values);
  return qr.matrixQR().topRows(values.cols()).triangularView<Eigen::Upper>();
}

// Babai's nearest plane: the last weight first, so that the others can make up for it. With R of
// the kernel matrix, what is left of the mean's change is at most half a step of every row.
Vector nearest_plane(const Matrix& r, const Vector& weights, double step) {
  Vector rounded(weights.size());
  for (Eigen::Index i = weights.size() - 1; i >= 0; --i) {
    double wanted = weights[i];
    if (r(i, i) != 0) {
      const Eigen::Index rest = weights.size() - 1 - i;
      wanted += r.row(i).tail(rest).dot(weights.tail(rest) - rounded.tail(rest)) / r(i, i);
    }
    rounded[i] = std::nearbyint(wanted / step) * step;
  }
  return rounded;
}

}  // namespace

ShortWeights shorten_weights(const kernel::Kernel& kernel, const numeric::Points& points,
                             const numeric::Points& inducing, const Vector& weights, double most) {
  const NumberFormat alone{Numbers::kShort, 0, 0, 0};
  const double largest = weights.size() == 0 ? 0 : weights.lpNorm<Eigen::Infinity>();
  const int start = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) + 1 : 0;
  if (largest == 0 || !std::isfinite(largest) || std::abs(start) > 800) return {weights, alone};
  const Matrix values = kernel::cross(kernel, points, inducing);
  const Matrix r = triangle(values);
  ShortWeights best{weights, alone};
  for (int exponent = start; exponent >= start - kMostHalvings; --exponent) {
    const double step = std::ldexp(1.0, exponent);
    const Vector rounded = nearest_plane(r, weights, step);
    const double codes = (rounded.maxCoeff() - rounded.minCoeff()) / step + 2;
    if (!rounded.allFinite() || !(codes < kMostCodes)) continue;
    const auto bits = std::bit_width(static_cast<std::uint64_t>(codes) - 1);
    const bool is_shorter = best.format.bits == 0 || bits < best.format.bits;
    if (!is_shorter || !((values * (rounded - weights)).lpNorm<Eigen::Infinity>() <= most))
      continue;
    best = {rounded,
            {Numbers::kShort, static_cast<std::uint8_t>(bits), exponent,
             static_cast<std::int64_t>(std::ldexp(rounded.minCoeff(), -exponent))}};
  }
  return best;
}

}  // namespace duets::protocol
