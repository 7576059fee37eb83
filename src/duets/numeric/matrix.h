// Names for the matrix types of the project, and the one place that includes Eigen's core.
#pragma once

#include <Eigen/Core>

namespace duets::numeric {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// A list of points: one point a row, the coordinates of a point side by side in memory.
using Points = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace duets::numeric
