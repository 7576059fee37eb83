// Runs that choose settings, for made-up results.
#pragma once

#include "duets/lab/hindsight.h"

namespace duets::lab::test {

/// Adds the tasks that choose, with the runs that are shown as theirs.
inline void choose_by_shown(Experiment& experiment, ExperimentResult& result) {
  const std::size_t shown = experiment.tasks.size();
  add_selection(experiment);
  for (std::size_t added = shown; added < experiment.tasks.size(); ++added) {
    const Task& chooser = experiment.tasks[added];
    const Task& task = experiment.tasks[*chooser.selects_for];
    std::vector<Unit> units;
    for (const Unit& unit : result.units[*chooser.selects_for]) {
      Unit& chosen = units.emplace_back();
      for (const Contender& wanted : chooser.contenders) {
        for (std::size_t i = 0; i < task.contenders.size(); ++i) {
          const Contender& c = task.contenders[i];
          if (c.label() == wanted.label() && c.beta == wanted.beta) chosen.push_back(unit.at(i));
        }
      }
    }
    result.units.push_back(std::move(units));
  }
}

}  // namespace duets::lab::test
