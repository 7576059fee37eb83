#include "duets/region/cut.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "duets/base/error.h"

namespace duets::region {

Cut::Cut(kernel::Kernel kernel, double reward_offset, numeric::Points inducing,
         numeric::Vector weights, double tau)
    : kernel_(std::move(kernel)),
      reward_offset_(reward_offset),
      inducing_(std::move(inducing)),
      weights_(std::move(weights)),
      tau_(tau) {
  using base::require;
  require(inducing_.rows() > 0, "inducing set", "empty", "a cut needs at least one point");
  require(inducing_.rows() == weights_.size(), "weights", fmt::format("{}", weights_.size()),
          fmt::format("must be one for each of the {} inducing points", inducing_.rows()));
  kernel::validate(kernel_, static_cast<std::size_t>(inducing_.cols()));
  require(inducing_.allFinite(), "inducing set", "NaN or infinity", "must be finite");
  require(weights_.allFinite(), "weights", "NaN or infinity", "must be finite");
  require(std::isfinite(tau_), "tau", fmt::format("{}", tau_), "must be finite");
  require(std::isfinite(reward_offset_), "reward offset", fmt::format("{}", reward_offset_),
          "must be finite");
  scaled_ = kernel::ScaledPoints(kernel_, inducing_);
}

numeric::Vector Cut::sum_at(const numeric::Points& features) const {
  numeric::Vector sums(features.rows());
  kernel::weighted_sum(kernel_, kernel::ScaledPoints(kernel_, features), scaled_,
                       std::span(weights_.data(), static_cast<std::size_t>(weights_.size())),
                       std::span(sums.data(), static_cast<std::size_t>(sums.size())));
  return sums;
}

}  // namespace duets::region
