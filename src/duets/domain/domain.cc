#include "duets/domain/domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/strict.h"

namespace duets::domain {
namespace {

void require_dimension(std::size_t dimension) {
  base::require(dimension >= 1 && dimension <= kMaxDimension, "space.dimension",
                fmt::format("{}", dimension),
                fmt::format("must be between 1 and {}", kMaxDimension));
}

}  // namespace

Domain Domain::finite(numeric::Points candidates) {
  base::require(candidates.rows() >= 1, "space.candidates", fmt::format("{}", candidates.rows()),
                "a finite set needs at least one point");
  base::require(std::in_range<std::int32_t>(candidates.rows()), "space.candidates",
                fmt::format("{}", candidates.rows()), "must be below 2^31");
  require_dimension(static_cast<std::size_t>(candidates.cols()));
  for (Eigen::Index i = 0; i < candidates.rows(); ++i) {
    base::require(candidates.row(i).allFinite(), fmt::format("space.candidates[{}]", i),
                  "NaN or infinity", "every coordinate must be finite");
  }
  Domain domain;
  domain.shape_ = Shape::kFinite;
  domain.dimension_ = domain.num_features_ = static_cast<std::size_t>(candidates.cols());
  domain.candidates_ = std::move(candidates);
  return domain;
}

Domain Domain::box(std::size_t dimension) {
  require_dimension(dimension);
  std::vector<Parameter> parameters(dimension);
  for (std::size_t i = 0; i < dimension; ++i) parameters[i].name = fmt::format("x{}", i + 1);
  return box(std::move(parameters));
}

Domain Domain::box(std::vector<Parameter> parameters) {
  require_dimension(parameters.size());
  Domain domain;
  std::set<std::string> names;
  for (const Parameter& parameter : parameters) {
    validate(parameter);
    base::require(names.insert(parameter.name).second, "space." + parameter.name, "twice",
                  "parameter names must differ");
    domain.num_features_ += domain::num_features(parameter);
    if (parameter.type != ParameterType::kFloat) domain.features_are_latents_ = false;
  }
  domain.shape_ = Shape::kBox;
  domain.dimension_ = parameters.size();
  domain.parameters_ = std::move(parameters);
  return domain;
}

Domain Domain::ball(std::size_t dimension, double radius) {
  require_dimension(dimension);
  base::require(std::isfinite(radius) && radius > 0, "space.radius", fmt::format("{}", radius),
                "must be positive and finite");
  Domain domain;
  domain.shape_ = Shape::kBall;
  domain.dimension_ = domain.num_features_ = dimension;
  domain.radius_ = radius;
  return domain;
}

numeric::Points Domain::features(const numeric::Points& latents) const {
  if (features_are_latents_) return latents;
  numeric::Points features(latents.rows(), static_cast<Eigen::Index>(num_features_));
  for (Eigen::Index row = 0; row < latents.rows(); ++row) {
    std::size_t column = 0;
    for (std::size_t i = 0; i < dimension_; ++i) {
      const std::size_t width = domain::num_features(parameters_[i]);
      features_at(parameters_[i], latents(row, static_cast<Eigen::Index>(i)),
                  std::span(features.row(row).data() + column, width));
      column += width;
    }
  }
  return features;
}

std::vector<double> Domain::feature_lengthscales(const std::vector<double>& lengthscales) const {
  if (lengthscales.size() == 1 || features_are_latents_) {
    base::require(lengthscales.size() == 1 || lengthscales.size() == dimension_,
                  "kernel.lengthscale", fmt::format("{} numbers", lengthscales.size()),
                  fmt::format("give one, or one for each of the {} dimensions", dimension_));
    return lengthscales;
  }
  base::require(lengthscales.size() == dimension_, "kernel.lengthscale",
                fmt::format("{} numbers", lengthscales.size()),
                fmt::format("give one, or one for each of the {} parameters", dimension_));
  std::vector<double> expanded;
  for (std::size_t i = 0; i < dimension_; ++i) {
    expanded.insert(expanded.end(), domain::num_features(parameters_[i]), lengthscales[i]);
  }
  return expanded;
}

bool Domain::contains(std::span<const double> latent) const {
  switch (shape_) {
    case Shape::kFinite:
      return true;
    case Shape::kBox:
      return std::all_of(latent.begin(), latent.end(), [](double x) { return x >= 0 && x <= 1; });
    case Shape::kBall:
      return numeric::strict_dot(latent, latent) <= radius_ * radius_;
  }
  return false;
}

Chord Domain::chord(std::span<const double> latent, std::size_t coordinate) const {
  if (shape_ == Shape::kBox) return {0.0, 1.0};
  double others = 0;
  for (std::size_t i = 0; i < latent.size(); ++i) {
    if (i != coordinate) others = others + latent[i] * latent[i];
  }
  const double half = std::sqrt(std::max(0.0, radius_ * radius_ - others));
  return {-half, half};
}

std::vector<double> Domain::values(std::span<const double> latent) const {
  std::vector<double> values(latent.begin(), latent.end());
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    values[i] = value_at(parameters_[i], latent[i]);
  return values;
}

std::vector<std::string> Domain::coordinate_names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dimension_; ++i) {
    names.push_back(parameters_.empty() ? fmt::format("x{}", i + 1) : parameters_[i].name);
  }
  return names;
}

}  // namespace duets::domain
