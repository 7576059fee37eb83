#include "duets/protocol/short_weights.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace duets::protocol {
namespace {

using numeric::Matrix;
using numeric::Vector;

/// Beyond this many halvings of the largest weight a number alone is as short.
constexpr int kMostHalvings = 30;
/// More inducing points are rounded one by one.
constexpr Eigen::Index kMostTogether = 512;
/// What a center adds has to be more than this part of it, or rounding hides it.
constexpr double kLeastRest = 1e-9;
/// One more center than necessary often makes the weights smaller.
constexpr int kMoreCenters = 3;

Matrix triangle(const Matrix& values) {
  if (values.cols() > std::min(kMostTogether, values.rows())) {
    return Matrix::Zero(values.cols(), values.cols());
  }
  const Eigen::HouseholderQR<Matrix> qr(values);
  return qr.matrixQR().topRows(values.cols()).triangularView<Eigen::Upper>();
}

// Babai's nearest plane: the last weight first, so that the others can make up for it. With R of
// the kernel matrix, what is left of the mean's change is at most half a step of every row.
Vector nearest_plane(const Matrix& r, const Vector& weights, double step) {
  Vector rounded(weights.size());
  for (Eigen::Index i = weights.size() - 1; i >= 0; --i) {
    double wanted = weights[i];
    if (r(i, i) != 0) {
      const Eigen::Index rest = weights.size() - 1 - i;
      wanted += r.row(i).tail(rest).dot(weights.tail(rest) - rounded.tail(rest)) / r(i, i);
    }
    rounded[i] = std::nearbyint(wanted / step) * step;
  }
  return rounded;
}

std::vector<std::uint32_t> all_rows(Eigen::Index count) {
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

std::uint64_t size_of(const Vector& weights, const NumberFormat& format) {
  return size_of_numbers({weights.data(), static_cast<std::size_t>(weights.size())}, format);
}

// The shortest of the grids on which the weights give the means; size 0 if none is fine enough.
ShortWeights on_grid(const Matrix& values, const Vector& weights, const Vector& means) {
  ShortWeights best;
  const double largest = weights.size() == 0 ? 0 : weights.lpNorm<Eigen::Infinity>();
  const int start = largest > 0 && std::isfinite(largest) ? std::ilogb(largest) + 1 : 0;
  if (largest == 0 || !std::isfinite(largest) || std::abs(start) > 800) return best;
  const Matrix r = triangle(values);
  for (int exponent = start; exponent >= start - kMostHalvings; --exponent) {
    const Vector rounded = nearest_plane(r, weights, std::ldexp(1.0, exponent));
    if (!rounded.allFinite()) continue;
    if (!((values * rounded - means).lpNorm<Eigen::Infinity>() <= 1)) continue;
    const NumberFormat format{Numbers::kShort, Grid{exponent, 0}};
    const std::uint64_t size = size_of(rounded, format);
    // Finer grids than the first that is fine enough only take more bits.
    if (best.size == 0 || size < best.size) best = {{}, rounded, format, size};
    if (size > best.size) break;
  }
  return best;
}

// Adds columns one after another, each the one that explains most of what is left.
class Pursuit {
 public:
  Pursuit(const Matrix& values, const Vector& means) : rest_(values), left_(means) {
    norms_ = values.colwise().squaredNorm();
  }

  /// False when no column is left that adds anything.
  bool add() {
    Eigen::Index best = -1;
    double most = 0;
    for (Eigen::Index i = 0; i < rest_.cols(); ++i) {
      const double norm = rest_.col(i).squaredNorm();
      if (norm <= kLeastRest * norms_[i]) continue;
      const double along = rest_.col(i).dot(left_);
      const double gain = along * along / norm;
      if (gain > most) {
        most = gain;
        best = i;
      }
    }
    if (best < 0) return false;
    const Vector unit = rest_.col(best).normalized();
    left_ -= unit.dot(left_) * unit;
    rest_ -= unit * (unit.transpose() * rest_).eval();
    rest_.col(best).setZero();
    chosen_.push_back(static_cast<std::uint32_t>(best));
    return true;
  }

  double largest_left() const { return left_.lpNorm<Eigen::Infinity>(); }
  std::vector<std::uint32_t> chosen() const {
    std::vector<std::uint32_t> sorted = chosen_;
    std::ranges::sort(sorted);
    return sorted;
  }

 private:
  Matrix rest_;
  Vector left_;
  Vector norms_;
  std::vector<std::uint32_t> chosen_;
};

ShortWeights with_columns(const Matrix& values, const std::vector<std::uint32_t>& chosen,
                          const Vector& means) {
  Matrix columns(values.rows(), static_cast<Eigen::Index>(chosen.size()));
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    columns.col(static_cast<Eigen::Index>(i)) = values.col(chosen[i]);
  }
  const Vector weights = columns.householderQr().solve(means);
  ShortWeights found = on_grid(columns, weights, means);
  if (found.size == 0) return found;
  found.chosen = chosen;
  BitWriter slots;
  slots.increasing(chosen);
  found.size += 8 * std::uint64_t{slots.take().size()};
  return found;
}

// In units of what is near enough.
Matrix scaled_values(const kernel::Kernel& kernel, const MeanToSend& mean,
                     const numeric::Points& centers) {
  return mean.most.cwiseInverse().asDiagonal() * kernel::cross(kernel, mean.points, centers);
}

}  // namespace

Vector near_enough(const Vector& means, double tau, double max_stddev) {
  return (kBelowShare * (tau - means.array())).max(kWeightShare * max_stddev);
}

ShortWeights shorten_weights(const kernel::Kernel& kernel, const MeanToSend& mean,
                             const numeric::Points& centers, const Vector& weights) {
  const Matrix values = scaled_values(kernel, mean, centers);
  ShortWeights found = on_grid(values, weights, values * weights);
  if (found.size == 0) {
    const NumberFormat alone{Numbers::kShort, std::nullopt};
    found = {{}, weights, alone, size_of(weights, alone)};
  }
  found.chosen = all_rows(centers.rows());
  return found;
}

ShortWeights sparse_weights(const kernel::Kernel& kernel, const MeanToSend& mean,
                            const numeric::Points& centers) {
  const Matrix values = scaled_values(kernel, mean, centers);
  const Vector means = mean.means.cwiseQuotient(mean.most);
  Pursuit pursuit(values, means);
  ShortWeights best;
  for (int more = 0; more <= kMoreCenters && pursuit.add();) {
    if (!(pursuit.largest_left() <= 1)) continue;
    ++more;
    ShortWeights found = with_columns(values, pursuit.chosen(), means);
    if (found.size > 0 && (best.size == 0 || found.size < best.size)) best = std::move(found);
  }
  return best;
}

}  // namespace duets::protocol
