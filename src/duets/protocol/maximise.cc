#include "duets/protocol/maximise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "duets/numeric/rows.h"
#include "duets/numeric/strict.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr std::size_t kNumAscents = 4;
constexpr int kMaxRounds = 60;
constexpr double kFirstStep = 0.1;  // of the domain's width
constexpr double kLastStep = 1e-5;
// Smaller gains are rounding, and following them would let two builds diverge.
constexpr double kLeastRise = 1e-9;

double width_of(const domain::Domain& domain) {
  return domain.shape() == domain::Shape::kBall ? 2 * domain.radius() : 1.0;
}

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

// The points one step away along every axis.
Points axis_steps(const Vector& x, double step) {
  Points points = x.transpose().replicate(2 * x.size(), 1);
  for (Eigen::Index axis = 0; axis < x.size(); ++axis) {
    points(2 * axis, axis) -= step;
    points(2 * axis + 1, axis) += step;
  }
  return points;
}

// In a ball each step is tried twice, once along the axis and once as a rotation about the centre:
// along axes alone a search would stop at the first point of the surface that it reaches.
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

Points neighbours(const domain::Domain& domain, const Vector& x, double step) {
  if (domain.shape() == domain::Shape::kBall) return ball_steps(domain.radius(), x, step);
  return axis_steps(x, step).cwiseMax(0.0).cwiseMin(1.0);
}

Supremum ascend(const region::Region& region, const PointFunction& f, Supremum best) {
  const domain::Domain& domain = region.domain();
  double step = kFirstStep;
  for (int round = 0; round < kMaxRounds && step >= kLastStep; ++round) {
    const Points points = neighbours(domain, best.latent, step * width_of(domain));
    const region::Membership membership = region.contains(points);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t i = 0; i < membership.inside.size(); ++i) {
      if (membership.inside[i] != 0) rows.push_back(i);
    }
    bool improved = false;
    if (!rows.empty()) {
      const Vector values = f(domain.features(numeric::select_rows(points, rows)));
      Eigen::Index top = 0;
      const double value = values.maxCoeff(&top);
      if (value > best.value + kLeastRise * std::abs(best.value)) {
        best = {value, points.row(rows[static_cast<std::size_t>(top)]).transpose()};
        improved = true;
      }
    }
    if (!improved) step /= 2;
  }
  return best;
}

}  // namespace

Supremum maximise(const region::Region& region, const Points& pool, const PointFunction& f) {
  return maximise(region, pool, f(region.domain().features(pool)), f);
}

Supremum maximise(const region::Region& region, const Points& pool, const Vector& values,
                  const PointFunction& f) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const std::size_t num_tops =
      std::min(order.size(), region.domain().is_finite() ? 1 : kNumAscents);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(num_tops),
                    order.end(), [&values](Eigen::Index a, Eigen::Index b) {
                      return values[a] > values[b] || (values[a] == values[b] && a < b);
                    });
  Supremum best{values[order[0]], pool.row(order[0]).transpose()};
  if (region.domain().is_finite()) return best;
  for (std::size_t i = 0; i < num_tops; ++i) {
    Supremum top = ascend(region, f, {values[order[i]], pool.row(order[i]).transpose()});
    if (top.value > best.value) best = std::move(top);
  }
  return best;
}

}  // namespace duets::protocol
