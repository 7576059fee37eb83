// Contour lines of numbers on a regular grid, by marching squares.
#pragma once

#include <cstddef>
#include <vector>

namespace duets::report {

/// Numbers at the points of a regular grid: values[y * width + x] belongs to
/// (x_low + x * (x_high - x_low) / (width - 1), likewise y).
struct Grid {
  std::size_t width = 0;
  std::size_t height = 0;
  double x_low = 0, x_high = 1;
  double y_low = 0, y_high = 1;
  std::vector<double> values{};

  double x(double column) const;  ///< coordinate of a (fractional) column
  double y(double row) const;
};

struct Polyline {
  std::vector<double> x{}, y{};
  bool closed = false;  ///< the last point joins the first
};

/// The lines where linear interpolation between neighbours crosses `level`. Cells with a corner
/// that is not finite are left out, so a line may end there. Saddles are decided by the mean of the
/// corners. Deterministic; O(width * height). Throws kInvalid when values do not fill the grid.
std::vector<Polyline> contour_lines(const Grid& grid, double level);

}  // namespace duets::report
