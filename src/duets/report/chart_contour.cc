#include "duets/report/chart_contour.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "duets/base/error.h"

namespace duets::report {
namespace {

constexpr std::size_t kNoEdge = std::numeric_limits<std::size_t>::max();

// A line crosses each edge of the grid at most once, so edges are the joints of the lines. Edge
// 2 (y width + x) goes right from point (x, y), the next one goes up.
class Tracer {
 public:
  Tracer(const Grid& grid, double level) : grid_(grid), level_(level) {
    joints_.resize(2 * grid.width * grid.height, {kNoEdge, kNoEdge});
    for (std::size_t y = 0; y + 1 < grid.height; ++y) {
      for (std::size_t x = 0; x + 1 < grid.width; ++x) cross_cell(x, y);
    }
  }

  std::vector<Polyline> lines() {
    std::vector<Polyline> out;
    std::vector<bool> used(joints_.size(), false);
    // Open lines first, from their ends; what remains is closed.
    for (const bool ends_only : {true, false}) {
      for (std::size_t edge = 0; edge < joints_.size(); ++edge) {
        if (used[edge] || joints_[edge][0] == kNoEdge) continue;
        if (ends_only && joints_[edge][1] != kNoEdge) continue;
        out.push_back(follow(edge, used));
        out.back().closed = !ends_only;
      }
    }
    return out;
  }

 private:
  double value(std::size_t x, std::size_t y) const { return grid_.values[y * grid_.width + x]; }
  std::size_t right_of(std::size_t x, std::size_t y) const { return 2 * (y * grid_.width + x); }
  std::size_t above(std::size_t x, std::size_t y) const { return right_of(x, y) + 1; }

  void join(std::size_t a, std::size_t b) {
    joints_[a][joints_[a][0] == kNoEdge ? 0 : 1] = b;
    joints_[b][joints_[b][0] == kNoEdge ? 0 : 1] = a;
  }

  void cross_cell(std::size_t x, std::size_t y) {
    const std::array<double, 4> corner = {value(x, y), value(x + 1, y), value(x + 1, y + 1),
                                          value(x, y + 1)};
    for (const double v : corner) {
      if (!std::isfinite(v)) return;
    }
    const std::array<std::size_t, 4> edge = {right_of(x, y), above(x + 1, y), right_of(x, y + 1),
                                             above(x, y)};
    std::array<bool, 4> up{};
    for (std::size_t i = 0; i < 4; ++i) up[i] = corner[i] >= level_;
    std::vector<std::size_t> crossed;  // around the cell
    for (std::size_t i = 0; i < 4; ++i) {
      if (up[i] != up[(i + 1) % 4]) crossed.push_back(edge[i]);
    }
    if (crossed.size() == 2) join(crossed[0], crossed[1]);
    if (crossed.size() != 4) return;
    const double middle = 0.25 * corner[0] + 0.25 * corner[1] + 0.25 * corner[2] + 0.25 * corner[3];
    // The middle belongs to corners 0 and 2, or to 1 and 3: cut the other two off.
    const std::size_t shift = (middle >= level_) == up[0] ? 0 : 1;
    join(crossed[shift], crossed[shift + 1]);
    join(crossed[shift + 2], crossed[(shift + 3) % 4]);
  }

  Polyline follow(std::size_t edge, std::vector<bool>& used) const {
    Polyline line;
    while (edge != kNoEdge) {
      used[edge] = true;
      add_crossing(line, edge);
      std::size_t next = kNoEdge;
      for (const std::size_t neighbour : joints_[edge]) {
        if (neighbour != kNoEdge && !used[neighbour]) next = neighbour;
      }
      edge = next;
    }
    return line;
  }

  void add_crossing(Polyline& line, std::size_t edge) const {
    const std::size_t x = edge / 2 % grid_.width;
    const std::size_t y = edge / 2 / grid_.width;
    const bool upward = edge % 2 == 1;
    const double a = value(x, y);
    const double b = upward ? value(x, y + 1) : value(x + 1, y);
    const double part = (level_ - a) / (b - a);
    line.x.push_back(grid_.x(static_cast<double>(x) + (upward ? 0 : part)));
    line.y.push_back(grid_.y(static_cast<double>(y) + (upward ? part : 0)));
  }

  const Grid& grid_;
  double level_;
  std::vector<std::array<std::size_t, 2>> joints_;  // of each edge: the edges its line goes to
};

double along(double low, double high, std::size_t count, double place) {
  return low + (high - low) * place / static_cast<double>(count - 1);
}

}  // namespace

double Grid::x(double column) const { return along(x_low, x_high, width, column); }
double Grid::y(double row) const { return along(y_low, y_high, height, row); }

std::vector<Polyline> contour_lines(const Grid& grid, double level) {
  base::require(grid.values.size() == grid.width * grid.height, "grid values",
                std::to_string(grid.values.size()), "must be width * height numbers");
  if (grid.width < 2 || grid.height < 2) return {};
  return Tracer(grid, level).lines();
}

}  // namespace duets::report
