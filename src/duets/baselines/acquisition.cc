#include "duets/baselines/acquisition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "duets/base/error.h"
#include "duets/domain/compass.h"

namespace duets::baselines {

using numeric::Points;
using numeric::Vector;

namespace {

// How many values best_arm() compares together.
constexpr Eigen::Index kBlock = 128;

}  // namespace

Setting on_arms(Setting setting) {
  if (setting.domain && !setting.domain->is_finite() && setting.latents.rows() > 0) {
    setting.domain =
        std::make_shared<const domain::Domain>(domain::Domain::finite(setting.latents));
  }
  return setting;
}

Vector confidence_bound(const Vector& mean, const Vector& variance, double beta) {
  return mean.array() + beta * variance.array().sqrt();
}

void require_beta(double beta) {
  base::require(std::isfinite(beta) && beta >= 0, "beta", fmt::format("{}", beta),
                "must be a finite number >= 0");
}

double checked_threshold(const std::optional<double>& threshold, double fallback) {
  const double value = threshold.value_or(fallback);
  base::require(value >= 0, "threshold", fmt::format("{}", value), "must be a number >= 0");
  return value;
}

Acquisition::Acquisition(const Setting& setting)
    : domain_(setting.domain), latents_(setting.latents), coin_(setting.coin) {
  base::require(setting.agents >= 1, "agents", "0", "must be at least 1");
  base::require(setting.horizon >= 1, "horizon", "0", "must be at least 1");
  base::require(std::isfinite(setting.lambda) && setting.lambda > 0, "lambda",
                fmt::format("{}", setting.lambda), "must be finite and positive");
  base::require(domain_ != nullptr, "domain", "none", "must be given");
  base::require(setting.arms != nullptr, "arms", "none", "must be given");
  const auto rows = static_cast<std::size_t>(latents_.rows());
  const auto columns = static_cast<std::size_t>(latents_.cols());
  if (rows != setting.arms->size() || columns != domain_->dimension()) {
    base::refuse("latents", fmt::format("{} x {}", rows, columns),
                 fmt::format("must be {} x {}, one row for each arm", setting.arms->size(),
                             domain_->dimension()));
  }
}

std::uint64_t Acquisition::word(base::AgentId agent, std::uint32_t t) const {
  std::uint64_t word = 0;
  coin_.words(
      {.purpose = random::Purpose::kPolicy, .agent = base::value(agent), .epoch = 0, .slot = t},
      {&word, 1});
  return word;
}

Choice Acquisition::arm_choice(std::size_t arm) const {
  return {.latent = latents_.row(static_cast<Eigen::Index>(arm)), .arm = arm};
}

Choice Acquisition::uniform(base::AgentId agent, std::uint32_t t) const {
  return arm_choice(
      random::index_below(word(agent, t), static_cast<std::uint64_t>(latents_.rows())));
}

std::size_t Acquisition::best_arm(const Vector& values, base::AgentId agent,
                                  std::uint32_t t) const {
  if (values.size() != latents_.rows()) {
    base::refuse("values", fmt::format("{} entries", values.size()),
                 fmt::format("must have {}, one for each arm", latents_.rows()));
  }
  const double best = values.maxCoeff<Eigen::PropagateNaN>();
  if (std::isnan(best)) {
    throw base::Error(base::ErrorKind::kNumeric,
                      fmt::format("the acquisition of agent {} at t = {} is not a number",
                                  base::value(agent), t));
  }
  std::vector<std::size_t> ties;
  // Most blocks are skipped by their maximum, which is vectorised; a loop with an early exit is
  // not.
  for (Eigen::Index first = 0; first < values.size(); first += kBlock) {
    const Eigen::Index end = std::min(first + kBlock, values.size());
    if (values.segment(first, end - first).maxCoeff() != best) continue;
    for (Eigen::Index i = first; i < end; ++i) {
      if (values[i] == best) ties.push_back(static_cast<std::size_t>(i));
    }
  }
  return ties.size() == 1 ? ties[0] : ties[random::index_below(word(agent, t), ties.size())];
}

Choice Acquisition::maximise(const Vector& values, const PointValues& elsewhere,
                             base::AgentId agent, std::uint32_t t) const {
  const std::size_t arm = best_arm(values, agent, t);
  if (domain_->is_finite()) return arm_choice(arm);
  return climb(arm, values[static_cast<Eigen::Index>(arm)], elsewhere);
}

Choice Acquisition::climb(std::size_t arm, double value, const PointValues& values) const {
  Choice best = arm_choice(arm);
  double step = domain_->shape() == domain::Shape::kBall ? 0.5 * domain_->radius() : 0.25;
  int halvings = 0;
  for (int i = 0; i < kMaxSteps && halvings < kMaxHalvings; ++i) {
    const Points trial = domain::compass_steps(*domain_, best.latent, step);
    const Vector found = values(domain_->features(trial));
    Eigen::Index winner = 0;
    const double top = found.maxCoeff(&winner);
    const Vector latent = trial.row(winner);
    if (top > value) {
      best = {.latent = latent};
      value = top;
    } else {
      step *= 0.5;
      ++halvings;
    }
  }
  return best;
}

std::size_t Acquisition::site(const Choice& choice, gp::ArmPosterior& posterior) const {
  return choice.arm ? *choice.arm : posterior.add_site(features(choice.latent));
}

Vector Acquisition::features(const Vector& latent) const {
  return domain_->features(Points(latent.transpose())).row(0);
}

}  // namespace duets::baselines
