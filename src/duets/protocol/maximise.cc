#include "duets/protocol/maximise.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "duets/domain/compass.h"
#include "duets/numeric/rows.h"

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

Supremum ascend(const region::Region& region, const PointFunction& f, Supremum best) {
  const domain::Domain& domain = region.domain();
  double step = kFirstStep;
  for (int round = 0; round < kMaxRounds && step >= kLastStep; ++round) {
    const Points points = domain::compass_steps(domain, best.latent, step * width_of(domain));
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
