// The inner loops of the kernel module. Internal: include kernel.h instead.
//
// Every value is computed by the same sequence of operations per pair of points, whichever loop is
// used; the loops differ only in which pairs share a pack of lanes.
#pragma once

#include <cstddef>

#include "duets/kernel/kernel.h"
#include "duets/numeric/strict_simd.h"

namespace duets::kernel::eval {

using numeric::simd::kLanes;
using numeric::simd::Pack;

/// Packs evaluated together, so that the others hide the latency of one.
inline constexpr std::size_t kGroup = 4;
static_assert(ScaledPoints::kBlock % (kGroup * kLanes) == 0);

/// `value`, or 0 where e^exponent is cut; also when `value` is infinity times 0 there.
template <class V>
inline V unless_cut(V exponent, V value) {
  return exponent < numeric::simd::kExpCut ? V{} : value;
}

// The shapes: functions of the squared scaled distance, 1 at 0.
struct SquaredExponential {
  template <class V>
  V operator()(V r2) const {
    const V exponent = -0.5 * r2;
    return unless_cut(exponent, numeric::simd::exp_uncut(exponent));
  }
};

struct Matern12 {
  template <class V>
  V operator()(V r2) const {
    const V exponent = -numeric::simd::square_root(r2);
    return unless_cut(exponent, numeric::simd::exp_uncut(exponent));
  }
};

struct Matern32 {
  template <class V>
  V operator()(V r2) const {
    const V a = numeric::simd::square_root(3.0 * r2);
    return unless_cut(-a, (1.0 + a) * numeric::simd::exp_uncut(-a));
  }
};

struct Matern52 {
  template <class V>
  V operator()(V r2) const {
    // a^2 / 3 = 5/3 r^2: neither a division nor the rounding of the root in it.
    constexpr double kFiveThirds = 5.0 / 3.0;
    const V a = numeric::simd::square_root(5.0 * r2);
    return unless_cut(-a, ((1.0 + a) + kFiveThirds * r2) * numeric::simd::exp_uncut(-a));
  }
};

/// Calls body(shape) with the shape of `family`.
template <class Body>
void with_shape(Family family, const Body& body) {
  switch (family) {
    case Family::kSquaredExponential:
      return body(SquaredExponential{});
    case Family::kMatern12:
      return body(Matern12{});
    case Family::kMatern32:
      return body(Matern32{});
    case Family::kMatern52:
      return body(Matern52{});
  }
}

/// r2[g] = squared distance between `center` and the points in lanes of pack g. `lanes` points into
/// a block, at the first lane wanted.
template <std::size_t G>
inline void squared_distances(const double* lanes, const double* center, std::size_t dimension,
                              Pack (&r2)[G]) {
  for (std::size_t g = 0; g < G; ++g) r2[g] = Pack{};
  for (std::size_t k = 0; k < dimension; ++k) {
    for (std::size_t g = 0; g < G; ++g) {
      const Pack diff =
          numeric::simd::load(lanes + k * ScaledPoints::kBlock + g * kLanes) - center[k];
      r2[g] = r2[g] + diff * diff;
    }
  }
}

/// sum[i] = sum_j shape(x_i, c_j) * weights[j] for the G * kLanes points at `lanes`.
template <std::size_t G, class Shape>
void sum_over_centers(Shape shape, const double* lanes, const ScaledPoints& centers,
                      const double* weights, double* sum) {
  Pack acc[G] = {};
  for (std::size_t j = 0; j < centers.size(); ++j) {
    Pack r2[G];
    squared_distances(lanes, centers.point(j), centers.dimension(), r2);
    for (std::size_t g = 0; g < G; ++g) acc[g] = acc[g] + shape(r2[g]) * weights[j];
  }
  for (std::size_t g = 0; g < G; ++g) numeric::simd::store(sum + g * kLanes, acc[g]);
}

/// values[i] = shape(x_i, center) for the first `count` points of a block, rounded up to whole
/// packs.
template <class Shape>
void block_values(Shape shape, const double* block, std::size_t count, const double* center,
                  std::size_t dimension, double* values) {
  std::size_t lane = 0;
  for (; lane + kGroup * kLanes <= count; lane += kGroup * kLanes) {
    Pack r2[kGroup];
    squared_distances(block + lane, center, dimension, r2);
    for (std::size_t g = 0; g < kGroup; ++g) {
      numeric::simd::store(values + lane + g * kLanes, shape(r2[g]));
    }
  }
  for (; lane < count; lane += kLanes) {
    Pack r2[1];
    squared_distances(block + lane, center, dimension, r2);
    numeric::simd::store(values + lane, shape(r2[0]));
  }
}

}  // namespace duets::kernel::eval
