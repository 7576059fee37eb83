#include "duets/problems/regret.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "duets/base/error.h"

namespace duets::problems {

RegretCurve::RegretCurve(std::size_t num_agents, std::size_t horizon, double reference)
    : num_agents_(num_agents), horizon_(horizon), reference_(reference) {
  base::require(num_agents > 0, "num_agents", "0", "must be at least 1");
  base::require(horizon > 0, "horizon", "0", "must be at least 1");
  base::require(std::isfinite(reference), "reference", std::to_string(reference), "must be finite");
  instant_.assign(num_agents * horizon, std::numeric_limits<double>::quiet_NaN());
}

void RegretCurve::add(base::AgentId agent, std::uint64_t t, double value) {
  const std::uint32_t a = base::value(agent);
  base::require(a < num_agents_, "agent", std::to_string(a),
                "must be below " + std::to_string(num_agents_));
  base::require(t < horizon_, "t", std::to_string(t), "must be below " + std::to_string(horizon_));
  base::require(std::isfinite(value), "value", std::to_string(value), "must be finite");
  double& instant = instant_[t * num_agents_ + a];
  base::require(std::isnan(instant), "(agent, t)",
                "(" + std::to_string(a) + ", " + std::to_string(t) + ")", "was added before");
  instant = reference_ - value;
  ++num_added_;
}

std::vector<double> RegretCurve::cumulative() const {
  std::vector<double> curve(horizon_);
  double sum = 0;
  for (std::size_t t = 0; t < horizon_; ++t) {
    for (std::size_t a = 0; a < num_agents_; ++a) {
      const double instant = instant_[t * num_agents_ + a];
      if (!std::isnan(instant)) sum += instant;
    }
    curve[t] = sum;
  }
  return curve;
}

std::vector<double> RegretCurve::simple() const {
  std::vector<double> curve(horizon_);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t t = 0; t < horizon_; ++t) {
    for (std::size_t a = 0; a < num_agents_; ++a) {
      const double instant = instant_[t * num_agents_ + a];
      if (!std::isnan(instant)) best = std::min(best, instant);
    }
    curve[t] = best;
  }
  return curve;
}

}  // namespace duets::problems
