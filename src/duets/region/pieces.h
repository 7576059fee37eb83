// How many pieces a region has, from the cells of a cover.
#pragma once

#include <cstdint>

#include "duets/region/region.h"

namespace duets::region {

/// The region has at least this many pieces that hold one of `points`, which lie in it: groups of
/// touching cells of a cover. Cells of different groups do not touch, and every point of the region
/// lies in a cell, so the groups are separate for certain; pieces closer to each other than a cell
/// count as one. 0: not counted, on a finite set, above three dimensions, and where there is no
/// cover. Strict. O(c d) for each of some ten thousand cells.
std::uint64_t count_pieces(const Region& region, const numeric::Points& points);

}  // namespace duets::region
