#include "duets/protocol/maximise.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

constexpr std::size_t kNumAscents = 4;
constexpr int kMaxRounds = 60;
constexpr double kFirstStep = 0.1;  // of the domain's width
constexpr double kLastStep = 1e-5;
// Smaller gains are rounding, and following them would let two builds walk apart.
constexpr double kLeastGain = 1e-9;

double width_of(const domain::Domain& domain) {
  return domain.shape() == domain::Shape::kBall ? 2 * domain.radius() : 1.0;
}

// Back to the surface of the ball, a little inside: so a search can slide along it, where moving
// along axes alone would end at the first point of the surface that it meets.
void pull_into_ball(double radius, Eigen::Ref<Eigen::RowVectorXd> x) {
  constexpr double kRounding = 0x1p-44;  // more than a norm of 1000 coordinates can be off
  const double reach = radius * (1 - kRounding);
  const double norm = x.norm();
  if (norm > reach) x *= reach / norm;
}

// The points one step away along every axis, brought back into the domain.
Points neighbours(const domain::Domain& domain, const Vector& x, double step) {
  const auto d = x.size();
  Points points(2 * d, d);
  for (Eigen::Index i = 0; i < 2 * d; ++i) {
    const Eigen::Index axis = i / 2;
    auto row = points.row(i);
    row = x.transpose();
    row[axis] += i % 2 == 0 ? -step : step;
    if (domain.shape() == domain::Shape::kBall) {
      pull_into_ball(domain.radius(), row);
    } else {
      row[axis] = std::clamp(row[axis], 0.0, 1.0);
    }
  }
  return points;
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
      const Vector values = f(domain.features(region::select_rows(points, rows)));
      Eigen::Index top = 0;
      const double value = values.maxCoeff(&top);
      if (value > best.value + kLeastGain * std::abs(best.value)) {
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
  const Vector values = f(region.domain().features(pool));
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
