#include "duets/problems/regret.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "duets/base/error.h"

namespace duets::problems {

RegretCurve::RegretCurve(std::size_t num_agents, std::size_t horizon, double reference)
    : num_agents_(num_agents), horizon_(horizon), reference_(reference), end_(horizon) {
  base::require(num_agents > 0, "num_agents", "0", "must be at least 1");
  base::require(horizon > 0, "horizon", "0", "must be at least 1");
  base::require(std::isfinite(reference), "reference", std::to_string(reference), "must be finite");
}

void RegretCurve::expect(std::uint64_t end) {
  const std::size_t next_begin = told_ ? end_ : 0;
  base::require(next_begin < end && end <= horizon_, "end", std::to_string(end),
                "must be above " + std::to_string(next_begin) + " and at most the horizon, " +
                    std::to_string(horizon_));
  base::require(told_ || instant_.empty(), "end", std::to_string(end),
                "must be set before the first query");
  if (told_) settle_into(settled_);
  begin_ = next_begin;
  end_ = end;
  told_ = true;
  instant_.clear();
  instant_.shrink_to_fit();  // the next stretch may be the shorter one
}

// Asked for every query: texts are made only when they are needed.
void RegretCurve::add(base::AgentId agent, std::uint64_t t, double value) {
  const std::uint32_t a = base::value(agent);
  if (a >= num_agents_) {
    base::refuse("agent", std::to_string(a), "must be below " + std::to_string(num_agents_));
  }
  if (t < begin_ || t >= end_) {
    base::refuse("t", std::to_string(t),
                 "must be from " + std::to_string(begin_) + " to " + std::to_string(end_ - 1));
  }
  if (!std::isfinite(value)) base::refuse("value", std::to_string(value), "must be finite");
  if (instant_.empty()) {
    instant_.assign(num_agents_ * (end_ - begin_), std::numeric_limits<double>::quiet_NaN());
  }
  double& instant = instant_[(t - begin_) * num_agents_ + a];
  if (!std::isnan(instant)) {
    base::refuse("(agent, t)", "(" + std::to_string(a) + ", " + std::to_string(t) + ")",
                 "was added before");
  }
  instant = reference_ - value;
  ++num_added_;
}

void RegretCurve::settle_into(Curves& curves) const {
  double sum = curves.cumulative.empty() ? 0 : curves.cumulative.back();
  double best =
      curves.simple.empty() ? std::numeric_limits<double>::infinity() : curves.simple.back();
  for (std::size_t t = begin_; t < end_; ++t) {
    for (std::size_t a = 0; a < num_agents_ && !instant_.empty(); ++a) {
      const double instant = instant_[(t - begin_) * num_agents_ + a];
      if (std::isnan(instant)) continue;
      sum += instant;
      best = std::min(best, instant);
    }
    curves.cumulative.push_back(sum);
    curves.simple.push_back(best);
  }
}

RegretCurve::Curves RegretCurve::whole() const {
  Curves curves = settled_;
  settle_into(curves);
  // Times after the current stretch.
  const double sum = curves.cumulative.back();
  const double best = curves.simple.back();
  curves.cumulative.resize(horizon_, sum);
  curves.simple.resize(horizon_, best);
  return curves;
}

std::vector<double> RegretCurve::cumulative() const { return whole().cumulative; }

std::vector<double> RegretCurve::simple() const { return whole().simple; }

}  // namespace duets::problems
