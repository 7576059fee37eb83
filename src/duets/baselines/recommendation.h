// The point that a learner with a posterior mean recommends.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "duets/baselines/acquisition.h"
#include "duets/baselines/survivors.h"
#include "duets/gp/arm_posterior.h"

namespace duets::baselines {

/// A posterior mean.
struct MeanView {
  const numeric::Vector* at_arms = nullptr;  ///< M, -infinity where an arm is not to be recommended
  PointValues elsewhere{};                   ///< used on a continuous domain only
};

/// The maximiser of the mean over the arms, improved by the acquisition's search on a continuous
/// domain. Of several learners the one with the largest mean at an arm decides, the first of equal
/// ones. The coin at slot `horizon`, which no query uses, breaks ties of arms. kInvalid without
/// learners. O(M) a learner, and the search.
numeric::Vector best_mean(const Acquisition& acquisition, std::uint32_t horizon,
                          std::span<const MeanView> learners);

/// The survivor with the largest mean of the posterior given all observations. O(n^2 M) for n of
/// them.
numeric::Vector best_survivor(const Acquisition& acquisition, std::uint32_t horizon,
                              const Survivors& survivors, gp::ArmPosterior prior,
                              std::span<const gp::Observation> observations);

}  // namespace duets::baselines
