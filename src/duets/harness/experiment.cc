#include "duets/harness/experiment.h"

#include <algorithm>

#include "duets/harness/unit_codec.h"

namespace duets::harness {
namespace {

using Units = std::vector<std::optional<Unit>>;  // by task, then seed

struct Place {
  const Task& task;
  std::uint64_t seed;
};

Place place_of(const Experiment& experiment, std::size_t unit) {
  const std::size_t num_seeds = experiment.seeds.size();
  return {experiment.tasks[unit / num_seeds], experiment.seeds[unit % num_seeds]};
}

// What the store of the first process has, in every process.
Units stored_units(const Experiment& experiment, const base::Executor& executor, UnitStore& store) {
  const std::size_t num_units = experiment.tasks.size() * experiment.seeds.size();
  base::ByteWriter writer;
  for (std::size_t i = 0; i < num_units; ++i) {
    const Place place = place_of(experiment, i);
    writer.blob(unit_bytes(store.load(place.task, place.seed)));
  }
  const base::Bytes agreed = executor.agree(writer.take());
  base::ByteReader reader(agreed);
  Units units(num_units);
  for (auto& unit : units) unit = unit_of(reader.blob());
  return units;
}

// 0 .. n-1, each once, so that every stretch of it holds some of the whole range: tasks are often
// ordered by how long they take, and a process does a stretch. The order of reversed bits.
std::vector<std::size_t> dealt(std::size_t n) {
  std::size_t num_bits = 0;
  while ((std::size_t{1} << num_bits) < n) ++num_bits;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < std::size_t{1} << num_bits; ++i) {
    std::size_t reversed = 0;
    for (std::size_t bit = 0; bit < num_bits; ++bit) reversed = 2 * reversed + (i >> bit & 1);
    if (reversed < n) order.push_back(reversed);
  }
  return order;
}

// The units that nobody has yet, in the order in which processes share them.
std::vector<std::size_t> missing_units(const Units& units) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (!units[i]) missing.push_back(i);
  }
  std::vector<std::size_t> order = dealt(missing.size());
  for (std::size_t& entry : order) entry = missing[entry];
  return order;
}

// Nothing when asked to stop.
std::optional<Unit> run_unit(const Place& place, UnitStore& store, ExperimentObserver& observer,
                             const std::atomic<bool>& stop) {
  if (stop) return std::nullopt;
  const Instance instance = place.task.make(place.seed);
  Unit unit;
  unit.reserve(place.task.contenders.size());
  for (const Contender& contender : place.task.contenders) {
    if (stop) return std::nullopt;
    unit.push_back(contender.run(instance));
    observer.run_done(false);
  }
  store.save(place.task, place.seed, unit);
  return unit;
}

std::size_t runs_of(const Experiment& experiment, std::size_t unit) {
  return place_of(experiment, unit).task.contenders.size();
}

// The stored units, and those that this process is going to run.
void tell_begin(const Experiment& experiment, const Units& units,
                const std::vector<std::size_t>& own, ExperimentObserver& observer) {
  std::size_t num_loaded = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i]) num_loaded += runs_of(experiment, i);
  }
  std::size_t num_own = 0;
  for (const std::size_t unit : own) num_own += runs_of(experiment, unit);
  observer.begins(num_loaded + num_own);
  for (std::size_t i = 0; i < num_loaded; ++i) observer.run_done(true);
}

// Everybody's new units to everybody.
void share_units(const Experiment& experiment, const base::Executor& executor,
                 const std::vector<std::size_t>& work, UnitStore& store, Units& units) {
  const base::UnitRange mine = executor.share(work.size());
  std::vector<base::Bytes> results;
  for (std::size_t i = mine.begin; i < mine.end; ++i) {
    results.push_back(unit_bytes(units[work[i]]));
  }
  const std::vector<base::Bytes> all = executor.gather(work.size(), std::move(results));
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (mine.contains(i)) continue;
    std::optional<Unit>& unit = units[work[i]];
    unit = unit_of(all[i]);
    const Place place = place_of(experiment, work[i]);
    if (unit) store.received(place.task, place.seed, *unit);
  }
}

ExperimentResult result_of(const Experiment& experiment, Units units) {
  ExperimentResult result;
  result.num_units = static_cast<std::size_t>(
      std::count_if(units.begin(), units.end(), [](const auto& unit) { return unit.has_value(); }));
  result.stopped = result.num_units < units.size();
  if (result.stopped) return result;
  const std::size_t num_seeds = experiment.seeds.size();
  result.units.assign(experiment.tasks.size(), std::vector<Unit>(num_seeds));
  for (std::size_t i = 0; i < units.size(); ++i) {
    result.units[i / num_seeds][i % num_seeds] = std::move(*units[i]);
  }
  return result;
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
  Units units = stored_units(experiment, executor, store);
  const std::vector<std::size_t> work = missing_units(units);
  const base::UnitRange mine = executor.share(work.size());
  std::vector<std::size_t> own(work.begin() + static_cast<std::ptrdiff_t>(mine.begin),
                               work.begin() + static_cast<std::ptrdiff_t>(mine.end));
  // In the order of the tasks: the caller may have put the longest first.
  std::sort(own.begin(), own.end());
  tell_begin(experiment, units, own, observer);
  executor.parallel_for(own.size(), [&](std::size_t i) {
    units[own[i]] = run_unit(place_of(experiment, own[i]), store, observer, stop);
  });
  share_units(experiment, executor, work, store, units);
  return result_of(experiment, std::move(units));
}

}  // namespace duets::harness
