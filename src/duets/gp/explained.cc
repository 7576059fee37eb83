#include "duets/gp/explained.h"

#include <cmath>

#include "duets/base/error.h"
#include "duets/gp/checks.h"
#include "duets/gp/sparse.h"

namespace duets::gp {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

// The covariances given the chosen candidates. Every entry is the same sequence of
// roundings in every build: lanes run across candidates or rows of the data, and sums go over the
// data in their order.
class Left {
 public:
  Left(const kernel::Kernel& kernel, const Points& candidates, const Points& data)
      : among_(kernel::gram(kernel, candidates)),
        cross_(kernel::cross(kernel, candidates, data)),
        smallest_(kPruneTolerance * kernel.variance) {
    measure();
  }

  /// By how much a candidate lowers the summed variance of the data; less than 0 for one that would
  /// be pruned.
  double gain(Eigen::Index i) const {
    const double own = among_(i, i);
    return own > smallest_ ? squares_[i] / own : -1;
  }

  void choose(Eigen::Index i) {
    const double stddev = std::sqrt(among_(i, i));
    const Vector z = among_.col(i) / stddev;
    const Vector seen = cross_.row(i).transpose() / stddev;
    for (Eigen::Index j = 0; j < among_.cols(); ++j) {
      among_.col(j).array() = among_.col(j).array() - z.array() * z[j];
    }
    for (Eigen::Index j = 0; j < cross_.cols(); ++j) {
      cross_.col(j).array() = cross_.col(j).array() - z.array() * seen[j];
    }
    // It has no residual, whatever rounding gives.
    among_(i, i) = 0;
    measure();
  }

 private:
  void measure() {
    squares_ = Vector::Zero(cross_.rows());
    for (Eigen::Index j = 0; j < cross_.cols(); ++j) {
      squares_.array() = squares_.array() + cross_.col(j).array().square();
    }
  }

  Matrix among_;    // c x c
  Matrix cross_;    // c x m
  Vector squares_;  // c: of the rows of cross_
  double smallest_;
};

}  // namespace

std::vector<std::uint32_t> explaining_rows(const kernel::Kernel& kernel, const Points& candidates,
                                           const Points& data, double gain,
                                           std::size_t max_points) {
  base::require(max_points >= 1, "max_points", "0", "must be at least 1");
  const auto dimension = static_cast<std::size_t>(candidates.cols());
  kernel::validate(kernel, dimension);
  require_points(candidates, dimension, "candidates");
  require_points(data, dimension, "data");
  std::vector<std::uint32_t> chosen;
  if (candidates.rows() == 0) return chosen;
  Left left(kernel, candidates, data);
  while (chosen.size() < max_points) {
    Eigen::Index best = 0;
    for (Eigen::Index i = 1; i < candidates.rows(); ++i) {
      if (left.gain(i) > left.gain(best)) best = i;
    }
    if (left.gain(best) <= gain && !chosen.empty()) break;
    chosen.push_back(static_cast<std::uint32_t>(best));
    left.choose(best);
  }
  return chosen;
}

}  // namespace duets::gp
