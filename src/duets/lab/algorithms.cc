#include "duets/lab/algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "duets/base/error.h"
#include "duets/baselines/approx_dis_kernel_ucb/approx_dis_kernel_ucb.h"
#include "duets/baselines/batch_gp/batch_gp.h"
#include "duets/baselines/bpe/bpe.h"
#include "duets/baselines/dis_kernel_ucb/dis_kernel_ucb.h"
#include "duets/baselines/gp_ucb/gp_ucb.h"
#include "duets/baselines/n_kernel_ucb/n_kernel_ucb.h"
#include "duets/baselines/random_search/random_search.h"
#include "duets/baselines/reds/reds.h"
#include "duets/baselines/uniform/uniform.h"

namespace duets::lab {
namespace {

Algorithm preset_algorithm(const protocol::Preset& preset) {
  const std::string name(preset.name);
  return {.key = "duets-" + name,
          .name = "DUETS " + name,
          .description = std::string(preset.meaning),
          .uses_beta = false,
          .preset = &preset,
          .goal = preset.goal};
}

Algorithm earning_algorithm() {
  Algorithm out = preset_algorithm(*protocol::find_preset("auto"));
  out.key = "duets-earn";
  out.name = "DUETS earn";
  out.description = "auto with goal = \"earn\": little regret on the way";
  out.goal = protocol::Goal::kEarn;
  return out;
}

Contender preset_contender(const Algorithm& algorithm) {
  return {.algorithm = algorithm.name,
          .beta = 0,
          .variant = {},
          .run = [preset = algorithm.preset, goal = algorithm.goal,
                  keeps = algorithm.keeps_lengthscale](const Instance& instance) {
            const protocol::Study& given = *instance.simulation.study;
            protocol::Study study = preset_study(given, *preset, goal);
            if (keeps) study.kernel.lengthscales = given.kernel.lengthscales;
            return play_duets(instance, study);
          }};
}

// D = infinity for an algorithm without D.
Contender contender(const Algorithm& algorithm, double threshold, double beta) {
  if (algorithm.preset) return preset_contender(algorithm);
  Contender out{.algorithm = algorithm.name, .beta = beta, .variant = {}, .run = {}};
  if (!algorithm.make) {
    out.run = [beta](const Instance& instance) {
      protocol::Study study = *instance.simulation.study;
      study.beta = beta;
      return play_duets(instance, study);
    };
    return out;
  }
  baselines::Tuning tuning{.beta = beta};
  if (!algorithm.thresholds.empty()) tuning.threshold = threshold;
  if (algorithm.thresholds.size() > 1) {
    out.variant = threshold_text(threshold);
    out.grid = algorithm.name;
    out.tuned = {{"D", threshold}};
  }
  out.run = [make = algorithm.make, tuning](const Instance& instance) {
    return play(instance, *make(instance.setting, tuning));
  };
  return out;
}

}  // namespace

std::vector<Algorithm> builtin_algorithms() {
  std::vector<Algorithm> all{
      {.key = "duets",
       .name = "DUETS",
       .description = "uniform sampling of trimmed sets with shared randomness"},
      {.key = "dis-kernel-ucb",
       .name = "DisKernelUCB",
       .description = "agents pool all data when one has learnt enough",
       .thresholds = {baselines::kDisKernelUcbThreshold},
       .threshold_grid = {0.1, 0.5, 2, 10},
       .make = baselines::make_dis_kernel_ucb},
      {.key = "dis-kernel-ucb-fit",
       .name = "DisKernelUCB fitted",
       .description = "the same; kernel, noise and level are learned from the pooled rewards",
       .thresholds = {baselines::kDisKernelUcbThreshold},
       .threshold_grid = {0.1, 0.5, 2, 10},
       .make = baselines::make_fitting_dis_kernel_ucb},
      {.key = "approx-dis-kernel-ucb",
       .name = "ApproxDisKernelUCB",
       .description = "agents pool projections on a random dictionary",
       .thresholds = {baselines::kApproxDisThreshold},
       .threshold_grid = {2, 20},
       .make = baselines::make_approx_dis_kernel_ucb},
      {.key = "n-kernel-ucb",
       .name = "N-KernelUCB",
       .description = "every agent runs GP-UCB alone",
       .role = Role::kAlone,
       .make = baselines::make_n_kernel_ucb},
      {.key = "reds",
       .name = "REDS",
       .description = "one central learner draws uniformly and eliminates; doubling epochs",
       .role = Role::kOracle,
       .make = baselines::make_reds},
      {.key = "bpe",
       .name = "BPE",
       .description = "one central learner plays batches of largest variance and eliminates",
       .role = Role::kOracle,
       .make = baselines::make_bpe},
      {.key = "gp-ucb",
       .name = "GP-UCB (central)",
       .description = "one central learner sees every reward at once",
       .role = Role::kOracle,
       .make = baselines::make_gp_ucb},
      {.key = "uniform",
       .name = "uniform",
       .description = "random points, nothing is learnt",
       .role = Role::kCeiling,
       .uses_beta = false,
       .make = baselines::make_uniform},
      {.key = "batch-gp",
       .name = "batch-gp",
       .description = "ask and tell, a round at a time: ARD Matern 5/2, expected improvement",
       .uses_beta = false,
       .make = baselines::make_batch_gp},
      {.key = "random",
       .name = "random",
       .description = "fresh random points, the best reward is recommended",
       .role = Role::kCeiling,
       .uses_beta = false,
       .make = baselines::make_random_search},
  };
  // "paper" is the study itself.
  std::vector<Algorithm> presets;
  for (const protocol::Preset& preset : protocol::presets().subspan(1)) {
    presets.push_back(preset_algorithm(preset));
  }
  presets.push_back(earning_algorithm());
  all.insert(all.begin() + 1, presets.begin(), presets.end());
  return all;
}

const Algorithm& find_algorithm(std::span<const Algorithm> algorithms, const std::string& key) {
  const auto found = std::find_if(algorithms.begin(), algorithms.end(),
                                  [&](const Algorithm& a) { return a.key == key; });
  if (found != algorithms.end()) return *found;
  std::vector<std::string> keys;
  for (const Algorithm& algorithm : algorithms) keys.push_back(algorithm.key);
  base::refuse("algorithm", fmt::format("\"{}\"", key),
               fmt::format("must be one of {}", fmt::join(keys, ", ")));
}

protocol::Study preset_study(protocol::Study study, const protocol::Preset& preset,
                             protocol::Goal goal) {
  protocol::apply_preset(preset, study);
  protocol::apply_goal(goal, study);
  study.kernel.lengthscales = {protocol::guessed_lengthscale(*study.domain)};
  // What a file with the preset cannot say.
  study.kernel.variance = kernel::Kernel{}.variance;
  study.lambda = protocol::Study{}.lambda;
  return study;
}

std::string threshold_text(double threshold) {
  return std::isinf(threshold) ? "D = infinity" : fmt::format("D = {}", threshold);
}

std::vector<Contender> contenders(const Algorithm& algorithm, std::span<const double> betas) {
  std::vector<double> thresholds = algorithm.thresholds;
  if (thresholds.empty()) thresholds.push_back(std::numeric_limits<double>::infinity());
  std::vector<Contender> out;
  const std::array<double, 1> none{0};
  for (const double threshold : thresholds) {
    for (const double beta : algorithm.uses_beta ? betas : none) {
      out.push_back(contender(algorithm, threshold, beta));
    }
  }
  return out;
}

}  // namespace duets::lab
