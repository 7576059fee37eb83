#include "duets/harness/experiment.h"

namespace duets::harness {
namespace {

// The stored unit, or a new one; nothing when asked to stop.
std::optional<Unit> run_unit(const Task& task, std::uint64_t seed, UnitStore& store,
                             ExperimentObserver& observer, const std::atomic<bool>& stop) {
  if (std::optional<Unit> stored = store.load(task, seed)) {
    for (std::size_t i = 0; i < task.contenders.size(); ++i) observer.run_done(true);
    return stored;
  }
  if (stop) return std::nullopt;
  const Instance instance = task.make(seed);
  Unit unit;
  unit.reserve(task.contenders.size());
  for (const Contender& contender : task.contenders) {
    if (stop) return std::nullopt;
    unit.push_back(contender.run(instance));
    observer.run_done(false);
  }
  store.save(task, seed, unit);
  return unit;
}

}  // namespace

std::size_t num_runs(const Experiment& experiment) {
  std::size_t runs = 0;
  for (const Task& task : experiment.tasks) {
    runs += task.contenders.size() * experiment.seeds.size();
  }
  return runs;
}

ExperimentResult run_experiment(const Experiment& experiment, const base::Executor& executor,
                                UnitStore& store, ExperimentObserver& observer,
                                const std::atomic<bool>& stop) {
  const std::size_t num_seeds = experiment.seeds.size();
  ExperimentResult result;
  result.units.assign(experiment.tasks.size(), std::vector<Unit>(num_seeds));
  std::atomic<bool> stopped = false;
  executor.parallel_for(experiment.tasks.size() * num_seeds, [&](std::size_t i) {
    const std::size_t task = i / num_seeds;
    const std::size_t seed = i % num_seeds;
    std::optional<Unit> unit =
        run_unit(experiment.tasks[task], experiment.seeds[seed], store, observer, stop);
    if (unit) {
      result.units[task][seed] = std::move(*unit);
    } else {
      stopped = true;
    }
  });
  result.stopped = stopped;
  if (stopped) result.units.clear();
  return result;
}

}  // namespace duets::harness
