// One pass over all data through inducing points: the sums that the sparse posterior needs.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>

#include "duets/base/executor.h"
#include "duets/gp/data_blocks.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// K_SS = L L^T: z(x) = L^-1 k_S(x) are coordinates of x in which the kernel, as far as S
/// represents it, is a scalar product. k(x,x) - |z(x)|^2 is the residual: what S does not represent
/// of x.
struct Whitening {
  kernel::Kernel kernel;
  kernel::ScaledPoints inducing;
  numeric::Matrix lower;  ///< L

  Eigen::Index rank() const { return lower.rows(); }
};

/// `inducing` is s x d, s >= 1, pruned. kInvalid for shapes and constraints, kNumeric when K_SS is
/// singular in binary64. O(s^3/3).
Whitening whiten(const kernel::Kernel& kernel, const numeric::Points& inducing);

/// z(x_i)^T in rows, for few x at a time. O(n s^2).
numeric::Matrix whitened(const Whitening& whitening, const kernel::ScaledPoints& x);

/// Which rows a sweep returns besides its sums.
struct Watch {
  double residual = std::numeric_limits<double>::infinity();  ///< rows with more than this
  std::size_t most_per_block = 0;  ///< evenly spread among them, always with the worst
};

struct Residuals {
  double largest = 0;       ///< over all rows; 0 without rows
  numeric::Points watched;  ///< the rows asked for, of all blocks in order
};

struct Sweep {
  numeric::Matrix gram;  ///< Z C Z^T, s x s, lower triangle; C the counts
  Residuals residuals;
};

/// Z C Z^T over all rows, by chunks of 128 that stay in the cache; blocks are added as a tree
/// (numeric/tree_sum.h). The same bits for every executor. O(m s^2) time, s^2 memory for each
/// thread and log2(blocks), never m x s. kInvalid when a block does not fit.
Sweep sweep(const Whitening& whitening, const DataBlocks& data, const base::Executor& executor,
            const Watch& watch = {});

/// Turns rows of data into points of the kernel: latents into features.
using Features = std::function<numeric::Points(const numeric::Points& rows)>;

/// The residuals of a sweep alone, at half its cost. `features` is called from any thread.
Residuals residuals(const Whitening& whitening, const DataBlocks& data, const Features& features,
                    const base::Executor& executor, const Watch& watch);

}  // namespace duets::gp
