#include "duets/cli/study_simulation.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::cli {

harness::Simulation simulation_of(const StudyFile& file) {
  base::require(!file.objective.builtin.empty(), "objective.command",
                fmt::format("[{}]", fmt::join(file.objective.command, ", ")),
                "only functions can be simulated; give objective.builtin");
  harness::Simulation simulation;
  simulation.study = std::make_shared<const protocol::Study>(file.study);
  simulation.problem = make_builtin(file);
  simulation.noise = file.objective.noise;
  simulation.minimise = file.direction == Direction::kMinimize;
  simulation.offset = file.objective.offset;
  simulation.scale = file.objective.scale;
  simulation.seed = file.seed;
  return simulation;
}

}  // namespace duets::cli
