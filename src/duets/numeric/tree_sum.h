// Sums over units of work, with an order of additions that depends only on the number of units.
#pragma once

#include <cstddef>
#include <functional>

#include "duets/base/executor.h"
#include "duets/numeric/matrix.h"

namespace duets::numeric {

/// leaf(0) + .. + leaf(num_units - 1), in every process, as a fixed binary tree: neighbours are
/// added in pairs, pairs in pairs, and the remaining partial sums at the end from the right. The
/// same bits for any number of threads and processes, if the leaves have the same bits.
///
/// `leaf(i)` returns `size` numbers; it is called once for each unit of executor.share(num_units),
/// perhaps concurrently. The result is zeros when there is no unit. kInvalid when a leaf has
/// another size. Memory: log2(num_units) sums, and at a time 64 leaves, or as many as fit in 128 MB
/// but at least 8.
Vector tree_sum(std::size_t num_units, std::size_t size,
                const std::function<Vector(std::size_t)>& leaf, const base::Executor& executor);

}  // namespace duets::numeric
