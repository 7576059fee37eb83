// The constant of lemma 4.3 for uniform points on a connected region.
#pragma once

#include <cmath>
#include <cstddef>

namespace duets::paper {

/// C of sup s^2 <= C gamma / m, and why 2^d 2 / ln(1 + 1/lambda) is enough on cubes and what is
/// like them. The gain is a sum along the data, 2 gamma = sum_i ln(1 + s_{i-1}^2(x_i) / lambda),
/// and s^2 <= 1 gives s^2 <= ln(1 + s^2/lambda) / ln(1 + 1/lambda). Since x_i is uniform and
/// variances only fall, the mean of s^2 over the region is at most 2 / ln(1 + 1/lambda) gamma / m
/// in expectation. The supremum lies at a corner, where a point sees 2^-d of the data that one
/// inside sees.
inline double variance_constant(std::size_t dimension, double lambda) {
  return std::exp2(static_cast<double>(dimension)) * 2 / std::log(1 + 1 / lambda);
}

}  // namespace duets::paper
