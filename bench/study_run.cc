// Runs of the empirical study by algorithm and function: milliseconds for all betas and seeds
// together, on instances that are made before; the making of an instance; and a whole slice.
#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "study_case.h"

namespace duets::bench {
namespace {

// Made once and kept: all algorithms share them, as in a study.
const std::vector<lab::Instance>& instances_of(std::string_view function) {
  static std::map<std::string_view, std::vector<lab::Instance>> made;
  auto found = made.find(function);
  if (found == made.end()) found = made.emplace(function, study_instances(function)).first;
  return found->second;
}

// Expected regrets have six decimals.
bool is_right(benchmark::State& state, double regret, double expected) {
  if (std::abs(regret - expected) <= 1e-6) return true;
  state.SkipWithError(("regret is " + std::to_string(regret)).c_str());
  return false;
}

// `expected`: the final regret of all betas and seeds together. Every arm depends on every number
// computed before, so a wrong posterior does not reproduce it.
void study_run(benchmark::State& state, std::string_view function, std::string_view algorithm,
               double expected) {
  const std::vector<lab::Instance>& instances = instances_of(function);
  const std::vector<lab::Contender> contenders = study_contenders(algorithm);
  for (auto _ : state) {
    double regret = 0;
    for (const lab::Instance& instance : instances) {
      for (const lab::Contender& contender : contenders) {
        regret += contender.run(instance).regret.back();
      }
    }
    if (!is_right(state, regret, expected)) break;
  }
}

void study_instance(benchmark::State& state, std::string_view function) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(lab::preset_instance("paper", function, kStudySeeds.front()));
  }
}

void study_slice_run(benchmark::State& state, double expected) {
  const lab::Experiment experiment = study_slice();
  const base::SerialExecutor executor;
  const std::atomic<bool> stop = false;
  lab::NoStore store;
  lab::ExperimentObserver observer;
  for (auto _ : state) {
    const lab::ExperimentResult result =
        lab::run_experiment(experiment, executor, store, observer, stop);
    double regret = 0;
    for (const auto& task : result.units) {
      for (const lab::Unit& unit : task) {
        for (const lab::Curves& curves : unit) regret += curves.regret.back();
      }
    }
    if (!is_right(state, regret, expected)) break;
  }
}

constexpr std::string_view kBranin = kStudyFunctions[0];
constexpr std::string_view kH2 = kStudyFunctions[1];

BENCHMARK_CAPTURE(study_run, a, kBranin, "n-kernel-ucb", 1482.648503)
    ->Name("study/branin/n-kernel-ucb")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_run, b, kBranin, "dis-kernel-ucb", 939.587289)
    ->Name("study/branin/dis-kernel-ucb")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_run, c, kBranin, "approx-dis-kernel-ucb", 1536.458248)
    ->Name("study/branin/approx-dis-kernel-ucb")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_run, d, kBranin, "duets", 2568.355177)
    ->Name("study/branin/duets")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_run, e, kH2, "n-kernel-ucb", 2913.244450)
    ->Name("study/h2/n-kernel-ucb")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_run, f, kH2, "dis-kernel-ucb", 1079.750004)
    ->Name("study/h2/dis-kernel-ucb")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_run, g, kH2, "approx-dis-kernel-ucb", 1016.846015)
    ->Name("study/h2/approx-dis-kernel-ucb")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_run, h, kH2, "duets", 2558.469141)
    ->Name("study/h2/duets")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_instance, i, kBranin)
    ->Name("study/branin/instance")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_instance, j, kH2)->Name("study/h2/instance")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(study_slice_run, k, 14095.358828)
    ->Name("study/slice")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace duets::bench
