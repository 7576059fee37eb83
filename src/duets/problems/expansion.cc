#include "duets/problems/expansion.h"

#include <algorithm>
#include <string>
#include <utility>

#include "duets/base/error.h"
#include "duets/kernel/shape.h"
#include "duets/numeric/strict.h"

namespace duets::problems {
namespace {

std::span<const double> span_of(const numeric::Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

}  // namespace

Expansion::Expansion(kernel::Kernel kernel, numeric::Points centers, numeric::Vector weights)
    : kernel_(std::move(kernel)), centers_(std::move(centers)), weights_(std::move(weights)) {
  base::require(centers_.rows() >= 1, "centers.rows()", std::to_string(centers_.rows()),
                "must be at least 1");
  base::require(weights_.size() == centers_.rows(), "weights.size()",
                std::to_string(weights_.size()), "must be the number of centers");
  kernel::validate(kernel_, static_cast<std::size_t>(centers_.cols()));
  scaled_centers_ = kernel::ScaledPoints(kernel_, centers_);
}

void Expansion::values(const numeric::Points& x, std::span<double> out) const {
  kernel::weighted_sum(kernel_, kernel::ScaledPoints(kernel_, x), scaled_centers_,
                       span_of(weights_), out);
}

double Expansion::value(std::span<const double> x) const {
  numeric::Points row(1, centers_.cols());
  std::copy(x.begin(), x.end(), row.data());
  double result = 0;
  values(row, {&result, 1});
  return result;
}

void Expansion::gradient(std::span<const double> x, std::span<double> out) const {
  const std::size_t dimension = x.size();
  const auto lengthscale = [&](std::size_t k) {
    return kernel_.lengthscales.size() == 1 ? kernel_.lengthscales[0] : kernel_.lengthscales[k];
  };
  std::fill(out.begin(), out.end(), 0.0);
  for (Eigen::Index i = 0; i < centers_.rows(); ++i) {
    const double* center = centers_.data() + i * centers_.cols();
    double squared_distance = 0;
    for (std::size_t k = 0; k < dimension; ++k) {
      const double difference = (x[k] - center[k]) / lengthscale(k);
      squared_distance += difference * difference;
    }
    const double factor =
        weights_[i] * kernel_.variance * kernel::slope(kernel_.family, squared_distance);
    for (std::size_t k = 0; k < dimension; ++k) {
      out[k] -= factor * ((x[k] - center[k]) / (lengthscale(k) * lengthscale(k)));
    }
  }
}

double Expansion::squared_norm() const {
  numeric::Vector at_centers(centers_.rows());
  values(centers_, {at_centers.data(), static_cast<std::size_t>(at_centers.size())});
  return numeric::strict_dot(span_of(weights_), span_of(at_centers));
}

Expansion Expansion::scaled(double factor) const {
  return Expansion(kernel_, centers_, weights_ * factor);
}

}  // namespace duets::problems
