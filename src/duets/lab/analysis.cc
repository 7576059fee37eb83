#include "duets/lab/analysis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "duets/base/error.h"

namespace duets::lab {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using Values = std::vector<double>;
using CurveOf = const Values& (*)(const Curves&);

const Values& regret_of(const Curves& c) { return c.regret; }
template <Ledger kLedger>
const Values& reals_of(const Curves& c) {
  return c.reals(kLedger);
}
constexpr std::array<CurveOf, kNumLedgers> kLedgerMeasures = {
    reals_of<Ledger::kPaper>, reals_of<Ledger::kFigure>, reals_of<Ledger::kLinks>,
    reals_of<Ledger::kIndices>, reals_of<Ledger::kLiteral>};

// A contender's curves over the seeds.
using Runs = std::vector<const Curves*>;

void check_curves(const Runs& runs, const std::string& who) {
  const std::vector<std::uint32_t>& t = runs.front()->t;
  base::require(!t.empty(), "curves of " + who, "empty", "must have an entry");
  for (const Curves* c : runs) {
    bool fits = c->t == t && c->regret.size() == t.size();
    for (const Ledger ledger : kLedgers) fits = fits && c->reals(ledger).size() == t.size();
    base::require(fits, "curves of " + who, "lengths or times differ",
                  "must be the same in every run");
  }
}

Values at(const Runs& runs, CurveOf measure, std::size_t index) {
  Values out;
  out.reserve(runs.size());
  for (const Curves* c : runs) out.push_back(measure(*c)[index]);
  return out;
}

CurveSummary summarise_curve(const Runs& runs, CurveOf measure, const Bootstrap* bootstrap) {
  CurveSummary out;
  for (std::size_t i = 0; i < runs.front()->t.size(); ++i) {
    const Values values = at(runs, measure, i);
    out.mean.push_back(mean(values));
    out.stddev.push_back(sample_stddev(values).value_or(kNone));
    if (bootstrap == nullptr) continue;
    const auto interval = bootstrap->mean_interval(values);
    out.low.push_back(interval ? interval->low : kNone);
    out.high.push_back(interval ? interval->high : kNone);
  }
  return out;
}

const Algorithm* find_by_name(std::span<const Algorithm> algorithms, const std::string& name) {
  const auto found = std::find_if(algorithms.begin(), algorithms.end(),
                                  [&](const Algorithm& a) { return a.name == name; });
  return found == algorithms.end() ? nullptr : &*found;
}

ContenderAnalysis analyse_contender(const Contender& contender, const Runs& runs,
                                    const Algorithm* algorithm, const Bootstrap& bootstrap) {
  check_curves(runs, contender.algorithm);
  ContenderAnalysis out{.algorithm = contender.algorithm, .variant = contender.variant};
  if (algorithm == nullptr || algorithm->uses_beta) out.beta = contender.beta;
  if (algorithm != nullptr) out.role = algorithm->role;
  out.t = runs.front()->t;
  const std::size_t last = out.t.size() - 1;
  out.final_regret = at(runs, regret_of, last);
  out.regret = summarise(out.final_regret, bootstrap);
  out.recommendation = recommendations_of(runs, bootstrap);
  for (const Curves* c : runs) out.rounds += c->rounds / static_cast<double>(runs.size());
  out.regret_curve = summarise_curve(runs, regret_of, &bootstrap);
  for (std::size_t l = 0; l < kLedgerMeasures.size(); ++l) {
    out.final_communication[l] = at(runs, kLedgerMeasures[l], last);
    out.communication[l] = summarise(out.final_communication[l], bootstrap);
    out.communication_curves[l] = summarise_curve(runs, kLedgerMeasures[l], nullptr);
  }
  return out;
}

void compare_grids(TaskAnalysis& task) {
  const std::size_t family = num_rivals(task);
  for (std::size_t i = 0; i < task.grids.size(); ++i) {
    for (std::size_t j = i + 1; j < task.grids.size(); ++j) {
      const std::size_t a = task.grids[i].chosen;
      const std::size_t b = task.grids[j].chosen;
      if (!task.contenders[a].competes() || !task.contenders[b].competes()) continue;
      task.comparisons.push_back(compare(task, a, b, family));
    }
  }
}

TaskAnalysis analyse_task(const Task& task, const std::vector<Unit>& units, std::vector<Grid> grids,
                          std::span<const Algorithm> algorithms, const Bootstrap& bootstrap) {
  TaskAnalysis out{.preset = task.preset, .function = task.function, .ask_tell = task.ask_tell};
  for (std::size_t i = 0; i < task.contenders.size(); ++i) {
    Runs runs;
    for (const Unit& unit : units) {
      base::require(unit.size() == task.contenders.size(), "unit of " + task.function,
                    std::to_string(unit.size()) + " entries", "one for each contender");
      runs.push_back(&unit[i]);
    }
    const Contender& contender = task.contenders[i];
    out.contenders.push_back(analyse_contender(
        contender, runs, find_by_name(algorithms, contender.algorithm), bootstrap));
  }
  out.grids = std::move(grids);
  for (const Grid& grid : out.grids) out.contenders[grid.chosen].chosen = true;
  compare_grids(out);
  name_winner(out);
  return out;
}

}  // namespace

const ContenderAnalysis* TaskAnalysis::find(std::string_view algorithm, double beta) const {
  for (const ContenderAnalysis& c : contenders) {
    if (c.algorithm == algorithm && c.variant.empty() && c.beta == beta) return &c;
  }
  return nullptr;
}

const ContenderAnalysis* TaskAnalysis::chosen_of(std::string_view algorithm) const {
  for (const Grid& grid : grids) {
    if (grid.label == algorithm) return &contenders[grid.chosen];
  }
  return nullptr;
}

std::vector<std::string> Analysis::presets() const {
  std::vector<std::string> out;
  for (const TaskAnalysis& task : tasks) {
    if (std::find(out.begin(), out.end(), task.preset) == out.end()) out.push_back(task.preset);
  }
  return out;
}

std::vector<const TaskAnalysis*> Analysis::of_preset(std::string_view preset) const {
  std::vector<const TaskAnalysis*> out;
  for (const TaskAnalysis& task : tasks) {
    if (task.preset == preset) out.push_back(&task);
  }
  return out;
}

Comparison compare(const TaskAnalysis& task, std::size_t first, std::size_t second,
                   std::size_t family) {
  const ContenderAnalysis& a = task.contenders[first];
  const ContenderAnalysis& b = task.contenders[second];
  Comparison out{.first = first, .second = second};
  out.regret = paired_difference(a.final_regret, b.final_regret, family);
  out.recommendation =
      paired_difference(a.recommendation.final_regret, b.recommendation.final_regret, family);
  for (std::size_t l = 0; l < out.communication.size(); ++l) {
    out.communication[l] =
        paired_difference(a.final_communication[l], b.final_communication[l], family);
  }
  return out;
}

Analysis analyse(const Experiment& experiment, const ExperimentResult& result,
                 std::span<const Algorithm> algorithms) {
  base::require(!experiment.seeds.empty(), "seeds", "none", "at least one is needed");
  base::require(!result.stopped && result.units.size() == experiment.tasks.size(), "result",
                "not complete", "every task must have run");
  Analysis out{.seeds = experiment.seeds, .selection_seeds = experiment.selection_seeds};
  const Bootstrap bootstrap(experiment.seeds.size());
  for (std::size_t i = 0; i < num_shown(experiment); ++i) {
    base::require(
        result.units[i].size() == experiment.seeds.size(), "result",
        std::to_string(result.units[i].size()) + " seeds of " + experiment.tasks[i].function,
        "every seed must have run");
    out.tasks.push_back(analyse_task(experiment.tasks[i], result.units[i],
                                     grids_of(experiment, result, i), algorithms, bootstrap));
  }
  return out;
}

}  // namespace duets::lab
