#include "duets/baselines/batch_gp/expected_improvement.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace duets::baselines {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

double log_expected_improvement(double mean, double deviation, double incumbent) {
  const double gain = mean - incumbent;
  if (!(deviation > 0)) {
    return gain > 0 ? std::log(gain) : -std::numeric_limits<double>::infinity();
  }
  const double z = gain / deviation;
  const double log_density = -z * z / 2 - std::log(2 * std::numbers::pi) / 2;
  // Below, the two terms cancel; the tail series is off by 15 / z^4 of the value.
  if (z < -10)
    return std::log(deviation) + log_density - 2 * std::log(-z) + std::log1p(-3 / (z * z));
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return std::log(deviation) + std::log(std::exp(log_density) + z * below);
}

Matrix Believer::row_of(const Added& added, const Points& x, const Matrix& white) const {
  const Matrix covariance = kernel::cross(model_.kernel(), added.features, x);
  return (covariance - added.white.transpose() * white.topRows(added.white.size())) / added.root;
}

void Believer::add(const Points& features) {
  Added next{.features = features, .white = whiten(features).col(0)};
  next.root = std::sqrt(std::max(1 + model_.noise() - next.white.squaredNorm(), model_.noise()));
  added_.push_back(std::move(next));
}

Matrix Believer::whiten(const Points& x) const {
  Matrix out = model_.whiten(x);
  for (const Added& added : added_) {
    const Matrix row = row_of(added, x, out);
    out.conservativeResize(out.rows() + 1, Eigen::NoChange);
    out.row(out.rows() - 1) = row;
  }
  return out;
}

Matrix Believer::next_row(const Points& x, const Matrix& white) const {
  return row_of(added_.back(), x, white);
}

Vector Believer::deviation(const Vector& squares) const {
  return (model_.variance() * (1 - squares.array()).max(0.0)).sqrt();
}

}  // namespace duets::baselines
