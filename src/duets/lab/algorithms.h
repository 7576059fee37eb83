// The algorithms that can be compared, by name.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "duets/baselines/setting.h"
#include "duets/lab/experiment.h"
#include "duets/protocol/preset.h"

namespace duets::lab {

/// How a reader should take an algorithm's figures.
enum class Role : std::uint8_t {
  kDistributed,  ///< agents that speak; regret and communication both count
  kAlone,        ///< agents that never speak
  kOracle,   ///< one learner sees every reward at once: a regret to compare with, nothing is sent
  kCeiling,  ///< learns nothing
};

struct Algorithm {
  std::string key;          ///< on the command line: "dis-kernel-ucb"
  std::string name;         ///< "DisKernelUCB"
  std::string description;  ///< one line
  Role role = Role::kDistributed;
  bool uses_beta = true;  ///< false: one run instead of a grid
  /// D: the published one; several are a grid. Empty when it has none.
  std::vector<double> thresholds{};
  std::vector<double> threshold_grid{};  ///< what a fair comparison tries
  baselines::MakePolicy make{};  ///< empty for DUETS, which brings its own coordinator and agents
  const protocol::Preset* preset = nullptr;     ///< DUETS with these settings, not the study's
  protocol::Goal goal = protocol::Goal::kEarn;  ///< of a preset
  bool keeps_lengthscale = false;  ///< of a preset: the study's length scale instead of the guess
};

/// duets, "duets-" with the name of each preset but "paper", duets-earn, dis-kernel-ucb,
/// dis-kernel-ucb-fit, approx-dis-kernel-ucb, n-kernel-ucb, reds, bpe, gp-ucb, uniform, batch-gp,
/// random.
std::vector<Algorithm> builtin_algorithms();

/// kInvalid, listing the keys that exist, when there is none.
const Algorithm& find_algorithm(std::span<const Algorithm> algorithms, const std::string& key);

/// The study in mode kTuned under a preset, with the guessed length scale.
protocol::Study preset_study(protocol::Study study, const protocol::Preset& preset,
                             protocol::Goal goal);

/// "D = 2", "D = infinity".
std::string threshold_text(double threshold);

/// One contender for each D and beta, one grid in all. DUETS takes everything
/// but beta from the instance's study; under a preset, everything that the preset does not set.
std::vector<Contender> contenders(const Algorithm& algorithm, std::span<const double> betas);

}  // namespace duets::lab
