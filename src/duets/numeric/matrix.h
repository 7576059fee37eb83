// The matrix types of the project; the only place that includes Eigen's core.
#pragma once

#include <Eigen/Core>

namespace duets::numeric {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A list of points: one point per row, the coordinates of a point contiguous in memory.
using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace duets::numeric
