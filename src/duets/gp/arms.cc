#include "duets/gp/arms.h"

#include "duets/base/error.h"

namespace duets::gp {

Arms::Arms(const kernel::Kernel& kernel, numeric::Points features)
    : kernel_(kernel), features_(std::move(features)) {
  base::require(features_.rows() >= 1, "arms", "none", "at least one is needed");
  kernel::validate(kernel_, static_cast<std::size_t>(features_.cols()));
  scaled_ = kernel::ScaledPoints(kernel_, features_);
  if (size() <= kStored) gram_ = kernel::gram(kernel_, features_);
}

numeric::Matrix Arms::columns(std::span<const std::size_t> chosen) const {
  const auto count = static_cast<Eigen::Index>(chosen.size());
  if (gram_.size() == 0) {
    numeric::Points points(count, features_.cols());
    for (Eigen::Index j = 0; j < count; ++j) {
      points.row(j) = features_.row(static_cast<Eigen::Index>(chosen[static_cast<std::size_t>(j)]));
    }
    return cross(points);
  }
  numeric::Matrix out(features_.rows(), count);
  for (Eigen::Index j = 0; j < count; ++j) {
    out.col(j) = gram_.col(static_cast<Eigen::Index>(chosen[static_cast<std::size_t>(j)]));
  }
  return out;
}

numeric::Matrix Arms::cross(const numeric::Points& x) const {
  return kernel::cross(kernel_, scaled_, kernel::ScaledPoints(kernel_, x));
}

}  // namespace duets::gp
