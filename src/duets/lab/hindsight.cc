#include "duets/lab/hindsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "duets/base/error.h"
#include "duets/lab/statistics.h"

namespace duets::lab {
namespace {

// Without what was chosen.
std::vector<Grid> grids_in(const Task& task) {
  std::vector<Grid> grids;
  for (std::size_t i = 0; i < task.contenders.size(); ++i) {
    const std::string label = task.contenders[i].grid_label();
    auto grid = std::find_if(grids.begin(), grids.end(),
                             [&](const Grid& known) { return known.label == label; });
    if (grid == grids.end()) grid = grids.insert(grids.end(), Grid{.label = label});
    grid->contenders.push_back(i);
  }
  for (Grid& grid : grids) {
    std::stable_sort(grid.contenders.begin(), grid.contenders.end(), [&](auto a, auto b) {
      return task.contenders[a].beta < task.contenders[b].beta;
    });
    grid.chosen = grid.contenders.front();
  }
  return grids;
}

bool chooses(const Grid& grid) { return grid.contenders.size() > 1; }

// The contenders among which something is chosen, in the order of the task.
std::vector<std::size_t> candidates_in(const Task& task) {
  std::vector<std::size_t> out;
  for (const Grid& grid : grids_in(task)) {
    if (chooses(grid)) out.insert(out.end(), grid.contenders.begin(), grid.contenders.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The settings that a grid may run over, by name.
std::map<std::string, double> settings_of(const Contender& contender) {
  std::map<std::string, double> out(contender.tuned.begin(), contender.tuned.end());
  out["beta"] = contender.beta;
  return out;
}

std::vector<std::string> edges_of(const Task& task, const Grid& grid,
                                  const std::map<std::size_t, double>& regrets) {
  std::vector<std::string> out;
  for (const auto& [name, value] : settings_of(task.contenders[grid.chosen])) {
    bool below = false, above = false;
    double others = std::numeric_limits<double>::infinity();
    for (const std::size_t i : grid.contenders) {
      const double other = settings_of(task.contenders[i]).at(name);
      below = below || other < value;
      above = above || other > value;
      if (other != value) others = std::min(others, regrets.at(i));
    }
    const bool at_edge = below != above;
    if (at_edge && regrets.at(grid.chosen) < others) out.push_back(name);
  }
  return out;
}

void choose(const Task& task, const std::map<std::size_t, double>& regrets, Grid& grid) {
  grid.chosen = *std::min_element(grid.contenders.begin(), grid.contenders.end(),
                                  [&](auto a, auto b) { return regrets.at(a) < regrets.at(b); });
  grid.edges = edges_of(task, grid, regrets);
}

// Mean final regrets over the selection seeds, by contender of the task.
std::map<std::size_t, double> selection_regrets(const Experiment& experiment,
                                                const ExperimentResult& result, std::size_t index) {
  const auto task =
      std::find_if(experiment.tasks.begin(), experiment.tasks.end(),
                   [&](const Task& candidate) { return candidate.selects_for == index; });
  const auto place = static_cast<std::size_t>(task - experiment.tasks.begin());
  base::require(
      task != experiment.tasks.end() && place < result.units.size() && !result.units[place].empty(),
      "result", experiment.tasks[index].function,
      "must have runs with selection seeds, which choose the settings");
  std::map<std::size_t, double> out;
  const std::vector<std::size_t> candidates = candidates_in(experiment.tasks[index]);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<double> finals;
    for (const Unit& unit : result.units[place]) {
      base::require(i < unit.size() && !unit[i].regret.empty(), "result", task->function,
                    "must have one run for each contender and seed");
      finals.push_back(unit[i].regret.back());
    }
    out[candidates[i]] = mean(finals);
  }
  return out;
}

Task selection_task(const Task& task, std::size_t index) {
  Task out{.preset = task.preset + "-selection",
           .function = task.function,
           .make = task.make,
           .contenders = {},
           .max_runs = task.max_runs,
           .selects_for = index};
  for (const std::size_t i : candidates_in(task)) out.contenders.push_back(task.contenders[i]);
  return out;
}

}  // namespace

void add_selection(Experiment& experiment) {
  const std::size_t runs = experiment.seeds.size();
  base::require(runs <= kSelectionDistance, "runs", fmt::format("{}", runs),
                fmt::format("must be at most {}", kSelectionDistance));
  const std::size_t shown = experiment.tasks.size();
  for (std::size_t i = 0; i < shown; ++i) {
    Task task = selection_task(experiment.tasks[i], i);
    if (!task.contenders.empty()) experiment.tasks.push_back(std::move(task));
  }
  if (experiment.tasks.size() == shown) return;
  experiment.selection_seeds =
      seeds_from(experiment.seeds.front() + kSelectionDistance,
                 std::min(static_cast<std::uint32_t>(runs), kMaxSelectionRuns));
}

std::size_t num_shown(const Experiment& experiment) {
  return static_cast<std::size_t>(
      std::count_if(experiment.tasks.begin(), experiment.tasks.end(),
                    [](const Task& task) { return !task.selects_for; }));
}

std::vector<Grid> grids_of(const Experiment& experiment, const ExperimentResult& result,
                           std::size_t index) {
  const Task& task = experiment.tasks.at(index);
  std::vector<Grid> grids = grids_in(task);
  if (std::none_of(grids.begin(), grids.end(), chooses)) return grids;
  const std::map<std::size_t, double> regrets = selection_regrets(experiment, result, index);
  for (Grid& grid : grids) {
    if (chooses(grid)) choose(task, regrets, grid);
  }
  return grids;
}

std::string edge_text(const Grid& grid) {
  if (grid.edges.empty()) return "";
  if (grid.edges == std::vector<std::string>{"beta"}) return "edge";
  return fmt::format("edge: {}", fmt::join(grid.edges, ", "));
}

}  // namespace duets::lab
