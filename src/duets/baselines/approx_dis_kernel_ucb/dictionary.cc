#include "duets/baselines/approx_dis_kernel_ucb/dictionary.h"

#include <fmt/format.h>

#include <utility>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/numeric/cholesky.h"

namespace duets::baselines {

using numeric::Matrix;
using numeric::Points;

Dictionary::Dictionary(const kernel::Kernel& kernel, const Points& points)
    : kernel_(kernel), raw_(points), points_(kernel, points) {
  numeric::CholeskyResult factor = numeric::cholesky(kernel::gram(kernel, points));
  if (!factor.ok) {
    throw base::Error(
        base::ErrorKind::kNumeric,
        fmt::format("the Gram matrix of {} dictionary points cannot be factored", points.rows()));
  }
  root_ = std::move(factor.lower);
  jitter_ = factor.jitter;
}

Matrix Dictionary::whitened(Matrix cross) const {
  gp::whiten_rows(root_, cross);
  return cross;
}

Matrix Dictionary::features(const Points& x) const {
  return whitened(kernel::cross(kernel_, kernel::ScaledPoints(kernel_, x), points_));
}

Matrix Dictionary::features(const gp::Arms& arms) const { return whitened(arms.cross(raw_)); }

}  // namespace duets::baselines
