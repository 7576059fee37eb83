#include "duets/lab/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "duets/base/error.h"
#include "duets/lab/unit_codec.h"

namespace duets::lab {
namespace {

using Units = std::vector<std::optional<Unit>>;  // by task, then seed

struct Place {
  const Task& task;
  std::uint64_t seed;
};

using Places = std::vector<Place>;  // of the units

Places places_of(const Experiment& experiment) {
  Places places;
  places.reserve(num_units(experiment));
  for (const Task& task : experiment.tasks) {
    for (const std::uint64_t seed : seeds_of(experiment, task)) places.push_back({task, seed});
  }
  return places;
}

// What the store of the first process has, in every process.
Units stored_units(const Places& places, const base::Executor& executor, UnitStore& store) {
  base::ByteWriter writer;
  for (const Place& place : places) writer.blob(unit_bytes(store.load(place.task, place.seed)));
  const base::Bytes agreed = executor.agree(writer.take());
  base::ByteReader reader(agreed);
  Units units(places.size());
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

// The stored units, and those that this process is going to run.
void tell_begin(const Places& places, const Units& units, const std::vector<std::size_t>& own,
                ExperimentObserver& observer) {
  std::size_t num_loaded = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i]) num_loaded += places[i].task.contenders.size();
  }
  std::size_t num_own = 0;
  for (const std::size_t unit : own) num_own += places[unit].task.contenders.size();
  observer.begins(num_loaded + num_own);
  for (std::size_t i = 0; i < num_loaded; ++i) observer.run_done(true);
}

// Gives every process the new units of all others.
void share_units(const Places& places, const base::Executor& executor,
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
    const Place& place = places[work[i]];
    if (unit) store.received(place.task, place.seed, *unit);
  }
}

ExperimentResult result_of(const Experiment& experiment, Units units) {
  ExperimentResult result;
  result.num_units = static_cast<std::size_t>(
      std::count_if(units.begin(), units.end(), [](const auto& unit) { return unit.has_value(); }));
  result.stopped = result.num_units < units.size();
  if (result.stopped) return result;
  auto next = units.begin();
  for (const Task& task : experiment.tasks) {
    std::vector<Unit>& by_seed = result.units.emplace_back(seeds_of(experiment, task).size());
    for (Unit& unit : by_seed) unit = std::move(**next++);
  }
  return result;
}

}  // namespace

std::string label_of(const std::string& algorithm, const std::string& variant) {
  return variant.empty() ? algorithm : algorithm + " (" + variant + ")";
}

std::vector<std::uint64_t> seeds_from(std::uint64_t first, std::uint32_t runs) {
  base::require(runs >= 1, "runs", fmt::format("{}", runs), "must be at least 1");
  std::vector<std::uint64_t> seeds(runs);
  std::iota(seeds.begin(), seeds.end(), first);
  return seeds;
}

void require_known(std::span<const std::string_view> names, const std::string& field,
                   std::string_view name) {
  base::require(std::find(names.begin(), names.end(), name) != names.end(), field,
                fmt::format("\"{}\"", name),
                fmt::format("must be one of {}", fmt::join(names, ", ")));
}

std::span<const std::uint64_t> seeds_of(const Experiment& experiment, const Task& task) {
  const std::span<const std::uint64_t> all =
      task.selects_for ? experiment.selection_seeds : experiment.seeds;
  return task.max_runs == 0 ? all : all.first(std::min(task.max_runs, all.size()));
}

std::size_t num_units(const Experiment& experiment) {
  std::size_t units = 0;
  for (const Task& task : experiment.tasks) units += seeds_of(experiment, task).size();
  return units;
}

std::size_t num_runs(const Experiment& experiment) {
  std::size_t runs = 0;
  for (const Task& task : experiment.tasks) {
    runs += task.contenders.size() * seeds_of(experiment, task).size();
  }
  return runs;
}

ExperimentResult run_experiment(const Experiment& experiment, const base::Executor& executor,
                                UnitStore& store, ExperimentObserver& observer,
                                const std::atomic<bool>& stop) {
  const Places places = places_of(experiment);
  Units units = stored_units(places, executor, store);
  const std::vector<std::size_t> work = missing_units(units);
  const base::UnitRange mine = executor.share(work.size());
  std::vector<std::size_t> own(work.begin() + static_cast<std::ptrdiff_t>(mine.begin),
                               work.begin() + static_cast<std::ptrdiff_t>(mine.end));
  // In the order of the tasks: the caller may have put the longest first.
  std::sort(own.begin(), own.end());
  tell_begin(places, units, own, observer);
  executor.parallel_for(own.size(), [&](std::size_t i) {
    units[own[i]] = run_unit(places[own[i]], store, observer, stop);
  });
  share_units(places, executor, work, store, units);
  return result_of(experiment, std::move(units));
}

}  // namespace duets::lab
