#include "duets/region/pieces.h"

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "duets/region/cover.h"

namespace duets::region {
namespace {

constexpr std::size_t kMostPieceDimensions = 3;
// As fine as this many cells allow: the smaller the region, the smaller they are.
constexpr std::size_t kMostPieceCells = 4096;

// A cell by its place in the grid of all cells; 0 along the axes that a domain does not have.
using Place = std::array<std::int64_t, kMostPieceDimensions>;

// Of a point of the unit cube. Corners and widths are exact, so that of a corner is too.
Place place_of(const Cover& cover, const double* unit) {
  Place place{};
  for (std::size_t k = 0; k < cover.widths().size(); ++k) {
    place[k] = static_cast<std::int64_t>(std::floor(unit[k] / cover.widths()[k]));
  }
  return place;
}

// Takes away the cell and all that are connected with it, by faces, edges or corners.
void remove_group(std::set<Place>& cells, const Place& first) {
  std::vector<Place> open{first};
  cells.erase(first);
  while (!open.empty()) {
    const Place at = open.back();
    open.pop_back();
    for (int step = 0; step < 27; ++step) {
      const Place next{at[0] + step % 3 - 1, at[1] + step / 3 % 3 - 1, at[2] + step / 9 - 1};
      if (cells.erase(next) > 0) open.push_back(next);
    }
  }
}

}  // namespace

std::uint64_t count_pieces(const Region& region, const numeric::Points& points) {
  const domain::Domain& domain = region.domain();
  if (!Cover::is_possible(domain) || domain.dimension() > kMostPieceDimensions) return 0;
  if (region.cuts().empty()) return 1;
  Cover cover(region, 0);
  while (cover.depth() < Cover::kMaxDepth && 2 * cover.size() <= kMostPieceCells) cover.refine();
  std::set<Place> cells;
  for (Eigen::Index i = 0; i < cover.corners().rows(); ++i) {
    cells.insert(place_of(cover, cover.corners().row(i).data()));
  }
  std::uint64_t pieces = 0;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    std::array<double, kMostPieceDimensions> unit{};
    for (Eigen::Index k = 0; k < points.cols(); ++k) {
      unit[static_cast<std::size_t>(k)] = cover.to_unit(points(i, k));
    }
    const Place place = place_of(cover, unit.data());
    if (!cells.contains(place)) continue;
    ++pieces;
    remove_group(cells, place);
  }
  return pieces;
}

}  // namespace duets::region
