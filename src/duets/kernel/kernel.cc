#include "duets/kernel/kernel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "duets/base/error.h"
#include "duets/kernel/kernel_eval.h"

namespace duets::kernel {
namespace {

constexpr std::size_t kBlock = ScaledPoints::kBlock;

bool positive_finite(double value) { return value > 0.0 && std::isfinite(value); }

/// All digits of a number, for an error text.
std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// Kernels are checked wherever points are scaled or summed, perhaps for a single point: the texts
// are made only when they are needed.
void require_size(const char* field, std::size_t got, std::size_t wanted, const char* of) {
  if (got == wanted) return;
  base::refuse(field, std::to_string(got),
               std::string("must be ") + of + ", " + std::to_string(wanted));
}

void require_positive(const char* field, double value) {
  if (positive_finite(value)) return;
  base::refuse(field, digits(value), "must be > 0 and finite");
}

void require_same_dimension(const ScaledPoints& x, const ScaledPoints& centers) {
  if (x.size() > 0 && centers.size() > 0) {
    require_size("centers.dimension", centers.dimension(), x.dimension(), "the dimension of x");
  }
}

/// Points of block b that are not padding.
std::size_t block_count(const ScaledPoints& x, std::size_t b) {
  return std::min(kBlock, x.size() - b * kBlock);
}

/// One point against centers in lanes: the same operations per pair as sum_over_centers, and the
/// same order of additions, without idle lanes. Worth it for the few points of an unfilled pack.
template <class Shape>
double sum_one(Shape shape, const double* point, const ScaledPoints& centers,
               const double* weights) {
  double sum = 0.0;
  double values[kBlock];
  for (std::size_t b = 0; b < centers.num_blocks(); ++b) {
    const std::size_t count = block_count(centers, b);
    eval::block_values(shape, centers.block(b), count, point, centers.dimension(), values);
    for (std::size_t j = 0; j < count; ++j) sum = sum + values[j] * weights[b * kBlock + j];
  }
  return sum;
}

/// The sums of one block of x.
template <class Shape>
void sum_block(Shape shape, const ScaledPoints& x, std::size_t b, const ScaledPoints& centers,
               const double* weights, double* out) {
  const std::size_t count = block_count(x, b);
  const double* block = x.block(b);
  std::size_t lane = 0;
  for (; lane + eval::kGroup * eval::kLanes <= count; lane += eval::kGroup * eval::kLanes) {
    eval::sum_over_centers<eval::kGroup>(shape, block + lane, centers, weights, out + lane);
  }
  for (; lane + eval::kLanes <= count; lane += eval::kLanes) {
    eval::sum_over_centers<1>(shape, block + lane, centers, weights, out + lane);
  }
  for (; lane < count; ++lane) {
    out[lane] = sum_one(shape, x.point(b * kBlock + lane), centers, weights);
  }
}

/// Column j of a kernel matrix, rows of block b.
template <class Shape>
void fill_segment(Shape shape, double variance, const ScaledPoints& x, std::size_t b,
                  const double* center, double* column) {
  double values[kBlock];
  const std::size_t count = block_count(x, b);
  eval::block_values(shape, x.block(b), count, center, x.dimension(), values);
  for (std::size_t i = 0; i < count; ++i) column[b * kBlock + i] = variance * values[i];
}

}  // namespace

void validate(const Kernel& kernel, std::size_t dimension) {
  base::enum_of<Family>(static_cast<std::uint64_t>(kernel.family), "kernel.family");
  require_positive("kernel.variance", kernel.variance);
  const std::size_t given = kernel.lengthscales.size();
  if (given != 1 && (given != dimension || given == 0)) {
    base::refuse(
        "kernel.lengthscale", std::to_string(given) + " numbers",
        "must be 1 number, or one for each of the " + std::to_string(dimension) + " dimensions");
  }
  for (const double lengthscale : kernel.lengthscales) {
    require_positive("kernel.lengthscale", lengthscale);
  }
}

ScaledPoints::ScaledPoints(const Kernel& kernel, const numeric::Points& points)
    : size_(static_cast<std::size_t>(points.rows())),
      dimension_(static_cast<std::size_t>(points.cols())) {
  validate(kernel, dimension_);
  rows_.resize(size_ * dimension_);
  packed_.assign(num_blocks() * kBlock * dimension_, 0.0);
  const bool shared = kernel.lengthscales.size() == 1;
  for (std::size_t i = 0; i < size_; ++i) {
    double* lane = packed_.data() + (i / kBlock) * kBlock * dimension_ + i % kBlock;
    for (std::size_t k = 0; k < dimension_; ++k) {
      const double scaled = points.data()[i * dimension_ + k] / kernel.lengthscales[shared ? 0 : k];
      rows_[i * dimension_ + k] = scaled;
      lane[k * kBlock] = scaled;
    }
  }
}

void weighted_sum(const Kernel& kernel, const ScaledPoints& x, const ScaledPoints& centers,
                  std::span<const double> weights, std::span<double> out) {
  require_same_dimension(x, centers);
  require_size("weights.size", weights.size(), centers.size(), "the number of centers");
  require_size("out.size", out.size(), x.size(), "the number of x");
  std::vector<double> scaled(weights.size());
  for (std::size_t j = 0; j < weights.size(); ++j) scaled[j] = kernel.variance * weights[j];
  eval::with_shape(kernel.family, [&](auto shape) {
    for (std::size_t b = 0; b < x.num_blocks(); ++b) {
      sum_block(shape, x, b, centers, scaled.data(), out.data() + b * kBlock);
    }
  });
}

numeric::Vector weighted_sum(const Kernel& kernel, const numeric::Points& x,
                             const numeric::Points& centers, const numeric::Vector& weights) {
  numeric::Vector out(x.rows());
  weighted_sum(kernel, ScaledPoints(kernel, x), ScaledPoints(kernel, centers),
               {weights.data(), static_cast<std::size_t>(weights.size())},
               {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

numeric::Matrix cross(const Kernel& kernel, const ScaledPoints& x, const ScaledPoints& centers) {
  require_same_dimension(x, centers);
  numeric::Matrix k(x.size(), centers.size());
  eval::with_shape(kernel.family, [&](auto shape) {
    for (std::size_t j = 0; j < centers.size(); ++j) {
      double* column = k.data() + j * x.size();
      for (std::size_t b = 0; b < x.num_blocks(); ++b) {
        fill_segment(shape, kernel.variance, x, b, centers.point(j), column);
      }
    }
  });
  return k;
}

numeric::Matrix cross(const Kernel& kernel, const numeric::Points& x,
                      const numeric::Points& centers) {
  return cross(kernel, ScaledPoints(kernel, x), ScaledPoints(kernel, centers));
}

numeric::Matrix gram(const Kernel& kernel, const numeric::Points& x) {
  const ScaledPoints scaled(kernel, x);
  numeric::Matrix k(scaled.size(), scaled.size());
  // Half of the matrix is enough: (a - b)^2 and (b - a)^2 are the same bits.
  eval::with_shape(kernel.family, [&](auto shape) {
    for (std::size_t j = 0; j < scaled.size(); ++j) {
      double* column = k.data() + j * scaled.size();
      for (std::size_t b = j / kBlock; b < scaled.num_blocks(); ++b) {
        fill_segment(shape, kernel.variance, scaled, b, scaled.point(j), column);
      }
    }
  });
  k.triangularView<Eigen::StrictlyUpper>() = k.transpose();
  return k;
}

}  // namespace duets::kernel
