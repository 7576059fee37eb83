// The scaling experiment: DUETS over horizons and over numbers of agents, and others beside it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/lab/experiment.h"

namespace duets::lab {

/// The width of the cut, fixed for every size. With noise of deviation 0.2 and lambda = 0.2 the
/// noise moves the posterior mean by at most 0.45 sigma (one deviation), so 1 covers it twice. It
/// is no theorem's width.
inline constexpr double kScalingBeta = 1;
/// N of the sweep over T, and T of the sweep over N.
inline constexpr std::uint32_t kScalingAgents = 10;
inline constexpr std::uint32_t kScalingHorizon = 400;
inline constexpr std::size_t kScalingCandidates = 2000;
inline constexpr std::uint32_t kScalingRuns = 16;
inline constexpr std::uint32_t kQuickScalingRuns = 3;

/// "branin" (squared exponential, l = 0.2), and random functions of norm 2 on the unit square whose
/// kernel is the model's: "rkhs-se" (squared exponential, l = 0.2), "rkhs-matern52" (l = 0.2).
std::span<const std::string_view> scaling_functions();

enum class Sweep : std::uint8_t { kHorizon, kAgents };
constexpr auto enum_entries(Sweep /*tag*/) {
  return base::entries<Sweep>({{Sweep::kHorizon, "T"}, {Sweep::kAgents, "N"}});
}
/// Horizon: 50, 100, .. 12800 (quick: to 800). Agents: 5, 10, .. 320 (quick: to 40).
std::vector<std::uint32_t> sweep_values(Sweep sweep, bool quick);

/// One size of one function: a task of the experiment.
struct ScalingPoint {
  std::string function{};
  std::uint32_t agents = 0;
  std::uint32_t horizon = 0;

  double queries() const { return static_cast<double>(agents) * static_cast<double>(horizon); }
  /// Whether it belongs to the sweep; one point belongs to both.
  bool in(Sweep sweep) const;
};

/// The problem of a point: N agents, T queries each, fresh candidates (uniform in the unit square),
/// noise and random functions from the seed, the paper's schedule with T1 = 2, the paper's coin
/// with p0 = 10, projections. kInvalid for a function that does not exist.
Instance scaling_instance(const ScalingPoint& point, std::uint64_t seed);

struct ScalingChoice {
  std::vector<std::string> functions{};  ///< empty: all
  std::uint32_t runs = kScalingRuns;     ///< >= 1
  std::uint64_t first_seed = 1;
  bool quick = false;
};

struct Scaling {
  std::vector<ScalingPoint> points{};  ///< of the tasks, in their order: the largest first
  Experiment experiment{};
};

/// What the queries of a point cost by plain ask and tell.
AskTell scaling_ask_tell(const ScalingPoint& point);

/// The contenders of a point. First "DUETS" with kScalingBeta, whose growth is measured. Then, to
/// compare: "DUETS" with a beta chosen from a grid, "auto", "earn" and "safe", "DUETS theory" where
/// the function's norm is known, "DisKernelUCB" with beta and D chosen, and "uniform".
std::vector<Contender> scaling_contenders(const ScalingPoint& point);

/// One task for each point, and behind them those that choose. kInvalid naming the field.
Scaling scaling_experiment(const ScalingChoice& choice);

}  // namespace duets::lab
