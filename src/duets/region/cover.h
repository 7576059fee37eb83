// A set of equal boxes that contains the active region, so that rejection costs a few tests per
// point however small the region is.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "duets/random/coin.h"
#include "duets/region/region.h"
#include "duets/region/sum_bound.h"

namespace duets::region {

/// Cells of a box, or of the cube around a ball, from repeated halving. Every point of the region
/// lies in one of them: a cell is dropped only when a cut's sum is proven to stay below its
/// threshold there, or when it lies outside the ball. Strict: two parties with the same transmitted
/// numbers have the same cells in the same order.
class Cover {
 public:
  static constexpr std::uint32_t kMaxDepth = 60;
  static constexpr std::size_t kMaxCells = std::size_t{1} << 18;
  static constexpr std::size_t kMaxCoordinates = std::size_t{1} << 21;

  /// True on balls and on boxes whose features are the latents themselves (float parameters only).
  static bool is_possible(const domain::Domain& domain);

  /// After `depth` halvings (at most kMaxDepth). Throws kInvalid where it is not possible, when
  /// there are more than kMaxCells cells or they have more than kMaxCoordinates coordinates, and
  /// when none is left.
  Cover(Region region, std::uint32_t depth);

  /// Halves every cell along the axis that is widest, measured by the length scales of the newest
  /// cut (the first of equals), and drops what it can. The two halves replace the cell, the lower
  /// one first. O(cells s d) for the newest cut, and for the others on the cells it leaves. Throws
  /// like the constructor.
  void refine();

  std::uint32_t depth() const { return depth_; }
  std::size_t size() const { return static_cast<std::size_t>(corners_.rows()); }
  /// Lower corners of the cells, one per row, and their widths by axis, in the unit cube, which is
  /// the box itself or, for a ball, the cube around it (x = radius (2 u - 1)). Exact.
  const numeric::Points& corners() const { return corners_; }
  const std::vector<double>& widths() const { return widths_; }
  /// The place of a latent coordinate in the unit cube of the cells.
  double to_unit(double latent) const;
  /// Volume of the cells as a multiple of the domain's; above 1 for the cube around a ball.
  double volume() const;
  /// Number of cells tested so far, including dropped ones.
  std::uint64_t num_tested() const { return num_tested_; }

  /// A uniform point of the cells: word 0 of the address chooses the cell, word 1 + k is coordinate
  /// k. It may lie outside the ball. Strict.
  void draw(const random::Coin& coin, const random::Address& address, std::span<double> out) const;

  const Region& region() const { return region_; }

 private:
  std::size_t widest_axis() const;
  void keep_possible();
  double to_latent(double unit) const;
  numeric::Points centres() const;
  std::vector<double> half_widths() const;

  Region region_;
  std::vector<std::shared_ptr<const SumBound>> bounds_;  // newest first
  std::vector<double> widths_;                           // of the unit cube, by axis
  numeric::Points corners_;                              // lower corners in the unit cube, exact
  std::uint32_t depth_ = 0;
  std::uint64_t num_tested_ = 0;
};

}  // namespace duets::region
