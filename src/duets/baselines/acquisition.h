// Finds the next point of an index policy: the maximiser of a value over the domain.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "duets/base/ids.h"
#include "duets/baselines/setting.h"
#include "duets/gp/arm_posterior.h"
#include "duets/numeric/matrix.h"

namespace duets::baselines {

/// A query. `arm` is its index when it is one of the setting's arms.
struct Choice {
  numeric::Vector latent;
  std::optional<std::size_t> arm{};
};

/// Values of the acquisition at feature points (n x num_features -> n).
using PointValues = std::function<numeric::Vector(const numeric::Points& features)>;

/// The setting with the pool in place of a continuous domain, for policies that play only arms.
Setting on_arms(Setting setting);

/// mean + beta sqrt(variance), entry by entry. A negative beta gives the lower bound.
numeric::Vector confidence_bound(const numeric::Vector& mean, const numeric::Vector& variance,
                                 double beta);

/// kInvalid unless beta is a finite number >= 0.
void require_beta(double beta);
/// The threshold D, or `fallback` when none is given. kInvalid unless it is >= 0 (infinity is
/// allowed).
double checked_threshold(const std::optional<double>& threshold, double fallback);

/// Finite domain: the arm of the largest value; ties are broken uniformly at random by the coin at
/// (kPolicy, agent, slot t). An arm of value -infinity is not chosen while another has a larger
/// one.
///
/// Continuous domain: the best arm (the arms are a uniform pool there), improved by compass search
/// in latent coordinates: a step evaluates both directions of every coordinate (domain/compass.h),
/// and moves to the best of these 2 d points, 4 d in a ball, if it is better, else halves the step
/// length. The first step length is a quarter of the domain's width; the search ends with the tenth
/// halving, or after kMaxSteps steps. So it evaluates 20 d to 40 d values, in a ball twice as many.
class Acquisition {
 public:
  static constexpr int kMaxSteps = 20;
  static constexpr int kMaxHalvings = 10;

  /// Copies what it needs of the setting. kInvalid unless agents, horizon >= 1, lambda > 0, domain
  /// and arms are set, and each arm has a row of latents.
  explicit Acquisition(const Setting& setting);

  /// `values` has one entry for each arm, none NaN (kNumeric otherwise); `elsewhere` is called only
  /// on a continuous domain. O(M), and the cost of `elsewhere`.
  Choice maximise(const numeric::Vector& values, const PointValues& elsewhere, base::AgentId agent,
                  std::uint32_t t) const;

  /// maximise() of mean + beta sqrt(variance) of a gp::ArmPosterior, or of another type with its
  /// mean(), variance() and at().
  template <class Posterior>
  Choice maximise_bound(const Posterior& known, double beta, base::AgentId agent,
                        std::uint32_t t) const {
    const auto elsewhere = [&](const numeric::Points& features) {
      const gp::PointPosterior there = known.at(features);
      return confidence_bound(there.mean, there.variance, beta);
    };
    return maximise(confidence_bound(known.mean(), known.variance(), beta), elsewhere, agent, t);
  }

  /// A uniform arm (on a continuous domain, a uniform point of the pool), by the same coin.
  Choice uniform(base::AgentId agent, std::uint32_t t) const;

  /// The site of a choice in a posterior: its arm, or a site added for its features.
  std::size_t site(const Choice& choice, gp::ArmPosterior& posterior) const;

  /// Features of one latent point.
  numeric::Vector features(const numeric::Vector& latent) const;

  const numeric::Points& latents() const { return latents_; }

 private:
  Choice arm_choice(std::size_t arm) const;
  std::size_t best_arm(const numeric::Vector& values, base::AgentId agent, std::uint32_t t) const;
  Choice climb(std::size_t arm, double value, const PointValues& values) const;
  std::uint64_t word(base::AgentId agent, std::uint32_t t) const;

  std::shared_ptr<const domain::Domain> domain_;
  numeric::Points latents_;
  random::Coin coin_;
};

}  // namespace duets::baselines
