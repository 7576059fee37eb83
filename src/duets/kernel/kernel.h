// Kernels, evaluated strictly: every value has the same bits on every machine.
//
// k(x, x') = variance * shape(r), r the Euclidean distance of the points after each coordinate is
// divided by its length scale (docs/glossary.md has the shapes). Squared distances are summed
// in coordinate order. One path serves membership, thresholds, projections and Gram matrices.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/numeric/matrix.h"

namespace duets::kernel {

enum class Family : std::uint8_t {
  kSquaredExponential = 0,  ///< exp(-r^2 / 2)
  kMatern12 = 1,            ///< exp(-r)
  kMatern32 = 2,            ///< (1 + a) exp(-a), a = sqrt(3) r
  kMatern52 = 3,            ///< (1 + a + a^2 / 3) exp(-a), a = sqrt(5) r
};

constexpr auto enum_entries(Family /*tag*/) {
  return base::entries<Family>({{Family::kSquaredExponential, "squared-exponential"},
                                {Family::kMatern12, "matern-1/2"},
                                {Family::kMatern32, "matern-3/2"},
                                {Family::kMatern52, "matern-5/2"}});
}

struct Kernel {
  Family family = Family::kSquaredExponential;
  std::vector<double> lengthscales{
      1.0};               ///< one for all dimensions, or one per dimension; > 0, finite
  double variance = 1.0;  ///< k(x, x); > 0, finite

  friend bool operator==(const Kernel&, const Kernel&) = default;
};

/// Throws kInvalid, naming the field, when the kernel breaks its constraints or does not fit points
/// with `dimension` coordinates.
void validate(const Kernel& kernel, std::size_t dimension);

/// Points divided by the length scales and packed in blocks of lanes for the strict evaluator.
/// Immutable; O(n d) to make. Make it once when the same points are evaluated against many others.
class ScaledPoints {
 public:
  static constexpr std::size_t kBlock = 32;

  ScaledPoints() = default;
  /// `points` is n x d; n = 0 is allowed.
  ScaledPoints(const Kernel& kernel, const numeric::Points& points);

  std::size_t size() const { return size_; }
  std::size_t dimension() const { return dimension_; }
  /// Block b holds points 32 b .. 32 b + 31, coordinate by coordinate; the last block is padded.
  const double* block(std::size_t b) const { return packed_.data() + b * kBlock * dimension_; }
  std::size_t num_blocks() const { return (size_ + kBlock - 1) / kBlock; }
  /// The scaled coordinates of one point, contiguous.
  const double* point(std::size_t i) const { return rows_.data() + i * dimension_; }

 private:
  std::size_t size_ = 0;
  std::size_t dimension_ = 0;
  std::vector<double> packed_;
  std::vector<double> rows_;
};

/// out[i] = sum_j shape(x_i, c_j) * (variance * weights[j]), added in the order of j, starting from
/// 0 (docs/formats/strict.md). Strict: bits do not depend on the number of x or the position of x_i
/// among them. O(|x| |c| d). Throws kInvalid when sizes do not fit; a NaN or infinite coordinate
/// affects only the sums of its own x.
void weighted_sum(const Kernel& kernel, const ScaledPoints& x, const ScaledPoints& centers,
                  std::span<const double> weights, std::span<double> out);

/// weighted_sum for points that are not scaled yet.
numeric::Vector weighted_sum(const Kernel& kernel, const numeric::Points& x,
                             const numeric::Points& centers, const numeric::Vector& weights);

/// The |x| x |c| matrix k(x_i, c_j) = variance * shape. Strict. O(|x| |c| d). A shape is in [0, 1],
/// up to one ulp above for Matern 5/2, and exactly 0 where the argument of its exponential is below
/// -600.
numeric::Matrix cross(const Kernel& kernel, const ScaledPoints& x, const ScaledPoints& centers);
numeric::Matrix cross(const Kernel& kernel, const numeric::Points& x,
                      const numeric::Points& centers);

/// cross(x, x), exactly symmetric, with exactly `variance` on the diagonal.
numeric::Matrix gram(const Kernel& kernel, const numeric::Points& x);

}  // namespace duets::kernel
