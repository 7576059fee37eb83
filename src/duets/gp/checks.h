// Shared by the exact and the sparse posterior: argument checks, and variances from cross-kernel
// blocks.
#pragma once

#include <functional>
#include <string>

#include "duets/gp/exact.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"

namespace duets::gp {

/// kInvalid "field = value: constraint" unless value is finite and > 0.
void require_positive(double value, const std::string& field);

/// kInvalid unless `points` has `dimension` columns and only finite entries.
void require_points(const numeric::Points& points, std::size_t dimension, const std::string& field);

/// kInvalid unless `values` has `size` entries, all finite.
void require_values(const numeric::Vector& values, std::size_t size, const std::string& field);

/// The counts of `num_points` data points: `counts` itself, or ones when it is empty. kInvalid
/// unless all are finite and > 0.
numeric::Vector checked_counts(const numeric::Vector& counts, std::size_t num_points);

/// Rows first .. first + count - 1, scaled.
kernel::ScaledPoints scaled_rows(const kernel::Kernel& kernel, const numeric::Points& points,
                                 Eigen::Index first, Eigen::Index count);

/// Replaces the rows z_i^T of `rows` by (L^-1 z_i)^T. The vectors lie in rows because Eigen solves
/// many small systems two to four times faster across them than along them.
void whiten_rows(const Eigen::Ref<const numeric::Matrix>& lower, numeric::Matrix& rows);

/// |row_i|^2.
numeric::Vector squared_norms(const numeric::Matrix& rows);

/// Fills a variance block by block: `block_variance(k)` receives k(x_i, center_j) for up to 256 of
/// the x (it may overwrite it) and returns their variances before clamping. Memory O(256
/// |centers|). Throws kNumeric when a variance is not a number.
VarianceResult variance_in_blocks(
    const kernel::Kernel& kernel, const kernel::ScaledPoints& centers, const numeric::Points& x,
    const std::function<numeric::Vector(numeric::Matrix& cross)>& block_variance);

}  // namespace duets::gp
