#include "duets/gp/largest_gain.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "duets/base/error.h"
#include "duets/numeric/cholesky.h"

namespace duets::gp {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

constexpr int kMostSteps = 30;
constexpr std::size_t kMostPivots = 600;
/// What pivots leave out adds at most this to the bound, in nats, unless there are too many.
constexpr double kLeftOut = 0.005;

void require_positive(double value, const char* name) {
  base::require(std::isfinite(value) && value > 0, name, fmt::format("{}", value),
                "must be positive");
}

numeric::PivotedCholesky factored(const kernel::Kernel& kernel, const Points& features,
                                  double tolerance) {
  const auto column = [&](std::uint32_t i) -> Vector {
    return kernel::cross(kernel, features, Points(features.row(i))).col(0);
  };
  return numeric::pivoted_cholesky(Vector::Constant(features.rows(), kernel.variance), column,
                                   tolerance, kMostPivots);
}

}  // namespace

LargestGain largest_gain(const kernel::Kernel& kernel, const Points& features, double lambda,
                         double queries, double share) {
  require_positive(lambda, "lambda");
  require_positive(queries, "queries");
  base::require(features.rows() > 0, "features", "0 rows", "must have a row");
  kernel::validate(kernel, static_cast<std::size_t>(features.cols()));
  const numeric::PivotedCholesky pivoted =
      factored(kernel, features, 2 * kLeftOut * lambda / queries);
  const Matrix& factor = pivoted.factor;
  const double left_out = queries * pivoted.residual.maxCoeff() / (2 * lambda);

  Vector weights = Vector::Constant(factor.rows(), queries / static_cast<double>(factor.rows()));
  LargestGain best;
  for (int step = 0; step < kMostSteps; ++step) {
    // With A = I + F^T W F / lambda: the gain is 1/2 ln det A, its gradient |A^-1/2 F_i|^2 / 2
    // lambda.
    const Matrix scaled = (weights / lambda).cwiseSqrt().asDiagonal() * factor;
    Matrix a = Matrix::Identity(factor.cols(), factor.cols());
    a.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
    const Eigen::LLT<Matrix> cholesky(a);
    const Matrix half = cholesky.matrixL().solve(factor.transpose());
    const Vector gradient = half.colwise().squaredNorm().transpose() / (2 * lambda);
    const double gain = Matrix(cholesky.matrixL()).diagonal().array().log().sum();
    const double mean = gradient.dot(weights) / queries;
    const double bound = gain + queries * (gradient.maxCoeff() - mean) + left_out;
    if (step == 0 || bound < best.bound) best.bound = bound;
    best.value = std::max(best.value, gain);
    if (best.bound - best.value <= share * best.value) break;
    weights = weights.cwiseProduct(gradient) / mean;
  }
  return best;
}

}  // namespace duets::gp
