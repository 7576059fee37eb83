#include "duets/report/chart_contour.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "duets/base/error.h"

namespace duets::report {
namespace {

Grid sampled(std::size_t n, double (*f)(double, double)) {
  Grid grid{n, n, -1, 1, -1, 1, {}};
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x)
      grid.values.push_back(f(grid.x(double(x)), grid.y(double(y))));
  }
  return grid;
}

double cone(double x, double y) { return 0.6 - std::hypot(x, y); }

TEST(Contour, CircleIsOneClosedLineWithinAGridStep) {
  const Grid grid = sampled(41, cone);
  const std::vector<Polyline> lines = contour_lines(grid, 0);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].closed);
  double turned = 0;
  const std::size_t n = lines[0].x.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double r = std::hypot(lines[0].x[i], lines[0].y[i]);
    // Linear interpolation of a convex function errs by at most h^2 f''/8, f'' <= 1/r; h = 0.05.
    EXPECT_NEAR(r, 0.6, 0.05 * 0.05 / 8 / 0.55);
    const std::size_t k = (i + 1) % n;
    turned += std::atan2(lines[0].x[i] * lines[0].y[k] - lines[0].y[i] * lines[0].x[k],
                         lines[0].x[i] * lines[0].x[k] + lines[0].y[i] * lines[0].y[k]);
  }
  EXPECT_NEAR(std::abs(turned), 2 * M_PI, 1e-9) << "neighbours of the line are neighbours in it";
}

TEST(Contour, LineThroughTheBorderIsOpenAndStraight) {
  const std::vector<Polyline> lines =
      contour_lines(sampled(11, [](double x, double y) { return x + 0.5 * y - 0.03; }), 0);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].closed);
  for (std::size_t i = 0; i < lines[0].x.size(); ++i) {
    EXPECT_NEAR(lines[0].x[i] + 0.5 * lines[0].y[i], 0.03, 1e-12) << "exact for a linear function";
  }
}

TEST(Contour, SaddlesJoinWhatTheMiddleJoins) {
  // High corners at (0,0) and (1,1) of one cell.
  Grid grid{2, 2, 0, 1, 0, 1, {1, -0.2, -0.2, 1}};
  EXPECT_EQ(contour_lines(grid, 0).size(), 2u);
  for (const Polyline& line : contour_lines(grid, 0)) {
    // The middle is high, so each line cuts off one low corner, (1,0) or (0,1).
    const double side = (line.x[0] - line.y[0]) * (line.x[1] - line.y[1]);
    EXPECT_GT(side, 0);
  }
  grid.values = {0.2, -1, -1, 0.2};
  for (const Polyline& line : contour_lines(grid, 0)) {
    const double side = (line.x[0] + line.y[0] - 1) * (line.x[1] + line.y[1] - 1);
    EXPECT_GT(side, 0);
  }
}

TEST(Contour, LeavesOutCellsThatAreNotFinite) {
  Grid grid = sampled(41, cone);
  grid.values[20 * 41 + 32] = std::numeric_limits<double>::quiet_NaN();  // on the circle
  const std::vector<Polyline> lines = contour_lines(grid, 0);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_FALSE(lines[0].closed);
  for (const double x : lines[0].x) EXPECT_TRUE(std::isfinite(x));
}

TEST(Contour, NothingToCross) {
  EXPECT_TRUE(contour_lines(sampled(5, [](double, double) { return 1.0; }), 0).empty());
  EXPECT_TRUE(contour_lines(sampled(5, [](double, double) { return 0.0; }), 0).empty());
  EXPECT_TRUE(contour_lines(Grid{}, 0).empty());
  EXPECT_THROW(contour_lines(Grid{3, 3, 0, 1, 0, 1, {1, 2}}, 0), base::Error);
}

}  // namespace
}  // namespace duets::report
