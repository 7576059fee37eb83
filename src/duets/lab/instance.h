// One problem with one seed: what all algorithms of a comparison share.
#pragma once

#include <memory>

#include "duets/baselines/setting.h"
#include "duets/harness/simulate.h"
#include "duets/lab/curves.h"
#include "duets/problems/policy.h"

namespace duets::lab {

/// A simulated study with its function, candidates and noise drawn, and the same as an algorithm
/// other than DUETS sees it. Algorithms run on one instance meet the same points, the same function
/// and, at the same agent and time, the same noise: their results are paired.
struct Instance {
  harness::Simulation simulation;  ///< simulation.reference is set
  baselines::Setting setting;      ///< arms shared by all algorithms
  double deviation = 0;            ///< of the function's values at the arms (divisor M)
};

/// On a continuous domain the arms are this many uniform points of the public coin.
inline constexpr std::size_t kPoolArms = 2000;

/// Draws the arms (their kernel matrix is computed here, once) and takes the reference for regret.
Instance make_instance(harness::Simulation simulation);

/// Runs a policy for T rounds and asks what it recommends. Throws kNumeric when it chooses a point
/// that is not finite, kInvalid when the point lies outside the domain or has the wrong size: the
/// message names agent and time.
Curves play(const Instance& instance, problems::Policy& policy);

/// Runs DUETS with its coordinator and agents; `study` is the instance's with other [duets] fields.
/// The recommendation is the run's; with one epoch, which has none, the best reward observed.
Curves play_duets(const Instance& instance, const protocol::Study& study);

}  // namespace duets::lab
