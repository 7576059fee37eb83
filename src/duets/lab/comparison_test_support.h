// Made-up experiments: curves with known means and noise, so that every outcome can be asked for.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "duets/lab/analysis.h"
#include "duets/lab/hindsight_test_support.h"

namespace duets::lab::test {

/// An algorithm of a made-up task.
struct Fake {
  std::string algorithm;
  double beta = 1;
  double regret = 100;  ///< mean at the horizon
  double reals = 1000;  ///< figure ledger at the horizon; paper 1/5 of it, links twice, indices
                        ///< 1/8, literal 1/2
  double scatter = 1;   ///< of the regret over the seeds
  std::string variant{};
};

/// Offsets with mean nought for five or more seeds, different for every `who`.
inline double offset(std::size_t who, std::size_t seed, std::size_t num_seeds) {
  // A rotated zigzag: sums to nought over the seeds when their number is odd.
  const auto n = static_cast<double>(num_seeds);
  const auto k = static_cast<double>((seed + who) % num_seeds);
  return (2 * k - (n - 1)) / (n - 1);
}

inline Curves fake_curves(const Fake& fake, double shift, std::uint32_t horizon) {
  Curves out;
  for (std::uint32_t t = 1; t <= horizon; ++t) {
    const double part = static_cast<double>(t) / horizon;
    // Four exchanges, the first at a tenth of the horizon.
    const double exchanges = std::floor(4 * std::min(1.0, part + 0.15)) / 4;
    out.t.push_back(t);
    out.regret.push_back((fake.regret + shift) * std::sqrt(part));
    out.paper.push_back(fake.reals / 5 * exchanges);
    out.figure.push_back(fake.reals * exchanges);
    out.links.push_back(2 * fake.reals * exchanges);
    out.indices.push_back(fake.reals / 8 * exchanges);
    out.literal.push_back(fake.reals / 2 * exchanges);
  }
  out.rounds = fake.reals > 0 ? 4 : 0;
  out.recommendation_regret = (fake.regret + shift) / 100;
  out.lost = out.recommendation_regret > 0.3;
  return out;
}

struct FakeTask {
  std::string preset = "paper";
  std::string function = "h1";
  std::vector<Fake> fakes{};
};

struct FakeExperiment {
  Experiment experiment{};
  ExperimentResult result{};
};

inline FakeExperiment make_fake(const std::vector<FakeTask>& tasks, std::size_t num_seeds = 5,
                                std::uint32_t horizon = 50) {
  FakeExperiment out;
  for (std::size_t s = 0; s < num_seeds; ++s) out.experiment.seeds.push_back(s + 1);
  for (const FakeTask& task : tasks) {
    Task made{.preset = task.preset, .function = task.function, .make = {}, .contenders = {}};
    made.ask_tell =
        AskTell{.agents = 10, .horizon = horizon, .dimension = 2, .shares_points = true};
    std::vector<Unit> units(num_seeds);
    for (std::size_t c = 0; c < task.fakes.size(); ++c) {
      const Fake& fake = task.fakes[c];
      made.contenders.push_back({fake.algorithm, fake.beta, fake.variant, {}});
      for (std::size_t s = 0; s < num_seeds; ++s) {
        const double shift = num_seeds > 1 ? fake.scatter * offset(c, s, num_seeds) : 0;
        units[s].push_back(fake_curves(fake, shift, horizon));
      }
    }
    out.experiment.tasks.push_back(std::move(made));
    out.result.units.push_back(std::move(units));
  }
  choose_by_shown(out.experiment, out.result);
  return out;
}

/// Roles of the algorithms that tests use.
inline std::vector<Algorithm> fake_algorithms() {
  const auto make = [](std::string name, Role role, bool uses_beta) {
    Algorithm out;
    out.key = name;
    out.name = std::move(name);
    out.role = role;
    out.uses_beta = uses_beta;
    return out;
  };
  return {make("DUETS", Role::kDistributed, true),
          make("DisKernelUCB", Role::kDistributed, true),
          make("ApproxDisKernelUCB", Role::kDistributed, true),
          make("N-KernelUCB", Role::kAlone, true),
          make("GP-UCB", Role::kOracle, true),
          make("Uniform", Role::kCeiling, false)};
}

inline Analysis fake_analysis(const std::vector<FakeTask>& tasks, std::size_t num_seeds = 5) {
  const FakeExperiment fake = make_fake(tasks, num_seeds);
  return analyse(fake.experiment, fake.result, fake_algorithms());
}

/// The published study with regrets of DUETS and the three others on every function.
inline std::vector<FakeTask> fake_study(const std::string& preset, double duets, double others) {
  std::vector<FakeTask> out;
  for (const char* function : {"h1", "h2", "branin", "hartmann4"}) {
    FakeTask task{preset, function, {}};
    for (const double beta : {0.2, 0.5, 1.0, 2.0, 5.0}) {
      const double worse = std::abs(beta - 1);
      task.fakes.push_back({"N-KernelUCB", beta, others + 30 + worse, 0});
      task.fakes.push_back({"DisKernelUCB", beta, others + worse, 5000});
      task.fakes.push_back({"ApproxDisKernelUCB", beta, others + 20 + worse, 4000});
      task.fakes.push_back({"DUETS", beta, duets + worse, 1000});
    }
    out.push_back(std::move(task));
  }
  return out;
}

}  // namespace duets::lab::test
