// Random numbers and functions for the statistical tests of this module, from SplitMix64.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "duets/gp/evidence.h"
#include "duets/numeric/cholesky.h"

namespace duets::gp {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  double uniform() { return std::ldexp(static_cast<double>(word() >> 11), -53); }

  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

  numeric::Points points(Eigen::Index n, Eigen::Index d) {
    numeric::Points x(n, d);
    for (double& coordinate : x.reshaped()) coordinate = uniform();
    return x;
  }

  numeric::Vector normals(Eigen::Index n) {
    numeric::Vector z(n);
    for (double& value : z) value = normal();
    return z;
  }

  /// Rewards of a Gaussian process at x.
  numeric::Vector rewards(const Parameters& truth, const numeric::Points& x) {
    numeric::Matrix covariance = kernel::gram(truth.kernel, x);
    covariance.diagonal().array() += truth.lambda;
    return (numeric::cholesky(covariance).lower * normals(x.rows())).array() + truth.offset;
  }

 private:
  std::uint64_t word() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = (state_ ^ (state_ >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }

  std::uint64_t state_;
};

}  // namespace duets::gp
