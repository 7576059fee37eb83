#include "duets/domain/compass.h"

#include <cmath>
#include <span>

#include "duets/numeric/strict.h"

namespace duets::domain {
namespace {

using numeric::Points;
using numeric::Vector;

// Strict: the best point may be sent as the start of walks, and those are in the run digest.
double norm_of(const Eigen::Ref<const Eigen::RowVectorXd>& x) {
  const std::span<const double> point(x.data(), static_cast<std::size_t>(x.size()));
  return std::sqrt(numeric::strict_dot(point, point));
}

// Back into the ball, to a little inside its surface.
void pull_into_ball(double radius, Eigen::Ref<Eigen::RowVectorXd> x) {
  constexpr double kRounding = 0x1p-44;  // more than a norm of 1000 coordinates can be off
  const double reach = radius * (1 - kRounding);
  const double norm = norm_of(x);
  if (norm > reach) x *= reach / norm;
}

Points axis_steps(const Vector& x, double step) {
  Points points = x.transpose().replicate(2 * x.size(), 1);
  for (Eigen::Index axis = 0; axis < x.size(); ++axis) {
    points(2 * axis, axis) -= step;
    points(2 * axis + 1, axis) += step;
  }
  return points;
}

Points ball_steps(double radius, const Vector& x, double step) {
  const Points straight = axis_steps(x, step);
  Points points(2 * straight.rows(), straight.cols());
  points << straight, straight;
  const double norm = norm_of(x.transpose());
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const double length = norm_of(points.row(i));
    if (i >= straight.rows() && length > 0) points.row(i) *= norm / length;
    pull_into_ball(radius, points.row(i));
  }
  return points;
}

}  // namespace

Points compass_steps(const Domain& domain, const Vector& latent, double step) {
  if (domain.shape() == Shape::kBall) return ball_steps(domain.radius(), latent, step);
  return axis_steps(latent, step).cwiseMax(0.0).cwiseMin(1.0);
}

}  // namespace duets::domain
