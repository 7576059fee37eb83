// Selects and joins rows of a list of points.
#pragma once

#include <cstdint>
#include <vector>

#include "duets/numeric/matrix.h"

namespace duets::numeric {

/// Rows of `points` with the given indices, in their order. Indices must exist.
Points select_rows(const Points& points, const std::vector<std::uint32_t>& rows);

/// The rows of `above`, then those of `below`. An empty `above` may have any number of columns.
Points stacked(const Points& above, const Points& below);

}  // namespace duets::numeric
