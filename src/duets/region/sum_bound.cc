#include "duets/region/sum_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "duets/kernel/shape.h"
#include "duets/numeric/strict.h"

namespace duets::region {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

// Relative errors of a few operations: far above their true size and far below what matters.
constexpr double kFew = 0x1p-40;
constexpr Eigen::Index kBlock = 32;

// sums[i] = sum_j k(i, j) weights[j], in the order of j.
void add_up(const Matrix& k, const double* weights, double* sums) {
  std::fill_n(sums, kBlock, 0.0);
  for (Eigen::Index j = 0; j < k.cols(); ++j) {
    const double* column = k.data() + j * kBlock;
    for (Eigen::Index i = 0; i < kBlock; ++i) sums[i] = sums[i] + column[i] * weights[j];
  }
}

double squared_above(double value, double error) {
  const double least = std::max(0.0, std::abs(value) - error);
  return least * least;
}

// Keeps NaN, which std::max would not.
double root(double x) { return x <= 0 ? 0.0 : std::sqrt(x); }

}  // namespace

// What all boxes of a call share.
struct SumBound::Boxes {
  std::vector<double> scales;       // length scales
  std::vector<double> reach;        // scaled half widths
  std::vector<double> slope_error;  // rounding error of a gradient
  kernel::ShapeBound shape;         // at the corner
};

SumBound::SumBound(std::shared_ptr<const Cut> cut)
    : cut_(std::move(cut)),
      slope_kernel_(kernel::slope_kernel(cut_->kernel())),
      scaled_(cut_->kernel(), cut_->inducing()) {
  const Vector& w = cut_->weights();
  const auto s = w.size();
  const auto d = cut_->inducing().cols();
  if (slope_kernel_ != cut_->kernel()) {
    slope_scaled_ = kernel::ScaledPoints(slope_kernel_, cut_->inducing());
  }
  slope_weights_.resize(s, 1 + d);
  reach_of_inducing_ = Vector::Zero(d);
  double total = 0;
  for (Eigen::Index i = 0; i < s; ++i) {
    total = total + std::abs(w[i]);
    slope_weights_(i, 0) = w[i];
    for (Eigen::Index k = 0; k < d; ++k) {
      const double x = scaled_.point(static_cast<std::size_t>(i))[k];
      slope_weights_(i, 1 + k) = w[i] * x;
      reach_of_inducing_[k] = std::max(reach_of_inducing_[k], std::abs(x));
    }
  }
  // Every kernel value is wrong by a few ulps of the variance, every addition by one of the sum.
  const double ulps = 2 * static_cast<double>(s + d) + 64;
  rounding_ = 0x1p-52 * ulps * (cut_->kernel().variance * total);
  const Vector at_inducing = cut_->sum_at(cut_->inducing());
  const auto size = static_cast<std::size_t>(s);
  norm2_ = numeric::strict_dot({w.data(), size}, {at_inducing.data(), size});
  norm2_ = std::isfinite(norm2_) ? std::max(0.0, norm2_) * (1 + kFew) + 2 * rounding_ * total
                                 : std::numeric_limits<double>::infinity();
}

SumBound::Boxes SumBound::common(const Points& centres, std::span<const double> half_widths) const {
  Boxes boxes;
  const std::vector<double>& given = cut_->kernel().lengthscales;
  double rho2 = 0;
  for (std::size_t k = 0; k < half_widths.size(); ++k) {
    const auto axis = static_cast<Eigen::Index>(k);
    const double scale = given[given.size() == 1 ? 0 : k];
    const double extent = centres.col(axis).cwiseAbs().maxCoeff() + half_widths[k];
    boxes.scales.push_back(scale);
    boxes.reach.push_back((half_widths[k] * (1 + kFew) + 0x1p-50 * extent) / scale);
    boxes.slope_error.push_back(rounding_ * (extent / scale + reach_of_inducing_[axis]));
    rho2 = rho2 + boxes.reach[k] * boxes.reach[k];
  }
  boxes.shape = kernel::shape_bound(cut_->kernel().family, std::sqrt(rho2) * (1 + kFew));
  for (double& error : boxes.slope_error) error = error * boxes.shape.curvature;
  return boxes;
}

void SumBound::bound_block(const Points& centres, const Boxes& boxes, double* out) const {
  const auto d = centres.cols();
  const double variance = cut_->kernel().variance;
  const Matrix k = kernel::cross(cut_->kernel(), {cut_->kernel(), centres}, scaled_);
  std::vector<double> value(kBlock);
  std::vector<double> slope(static_cast<std::size_t>(kBlock * (1 + d)));
  add_up(k, slope_weights_.col(0).data(), value.data());
  if (boxes.shape.smooth) {
    const bool same = slope_scaled_.size() == 0;
    const Matrix other =
        same ? Matrix() : kernel::cross(slope_kernel_, {slope_kernel_, centres}, slope_scaled_);
    for (Eigen::Index c = 0; c <= d; ++c) {
      add_up(same ? k : other, slope_weights_.col(c).data(), slope.data() + c * kBlock);
    }
  }
  for (Eigen::Index i = 0; i < kBlock; ++i) {
    const double m = value[static_cast<std::size_t>(i)];
    // A negative value may come closer to 0 on the way to the corner.
    const double start = m >= 0 ? m : m + std::abs(m) * boxes.shape.loss;
    double left = norm2_ - squared_above(m, rounding_) / variance;
    double bound = start + std::sqrt(variance) * root(left) * boxes.shape.zeroth;
    double climb = 0;
    if (boxes.shape.smooth) {
      for (Eigen::Index c = 0; c < d; ++c) {
        const auto axis = static_cast<std::size_t>(c);
        const double* sums = slope.data() + i;
        const double g = sums[(1 + c) * kBlock] - centres(i, c) / boxes.scales[axis] * sums[0];
        climb = climb + (std::abs(g) + boxes.slope_error[axis]) * boxes.reach[axis];
        left =
            left - squared_above(g, boxes.slope_error[axis]) / (variance * boxes.shape.curvature);
      }
      bound =
          std::min(bound, start + climb +
                              std::sqrt(variance) * root(left + kFew * norm2_) * boxes.shape.first);
    }
    const double size = std::abs(m) + climb + std::sqrt(variance * norm2_);
    out[i] = bound + 2 * rounding_ + kFew * size;
  }
}

Vector SumBound::over_boxes(const Points& centres, std::span<const double> half_widths) const {
  Vector bounds(centres.rows());
  if (centres.rows() == 0) return bounds;
  const Boxes boxes = common(centres, half_widths);
  Points block(kBlock, centres.cols());
  double out[kBlock];
  for (Eigen::Index first = 0; first < centres.rows(); first += kBlock) {
    const Eigen::Index count = std::min(kBlock, centres.rows() - first);
    // The last block is padded with its last box, so that all blocks have one shape.
    for (Eigen::Index i = 0; i < kBlock; ++i) {
      block.row(i) = centres.row(first + std::min(i, count - 1));
    }
    bound_block(block, boxes, out);
    std::copy_n(out, count, bounds.data() + first);
  }
  return bounds;
}

}  // namespace duets::region
