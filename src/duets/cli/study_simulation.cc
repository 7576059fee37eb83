#include "duets/cli/study_simulation.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::cli {

harness::Simulation simulation_of(const StudyFile& file, std::span<const OwnFunction> functions) {
  base::require(!file.objective.builtin.empty(), "objective.command",
                fmt::format("[{}]", fmt::join(file.objective.command, ", ")),
                "only built-in functions can be simulated; \"duets run\" and \"duets serve\" use a "
                "program");
  harness::Simulation simulation;
  simulation.study = std::make_shared<const protocol::Study>(file.study);
  simulation.problem = make_builtin(file, functions);
  simulation.noise = noise_of(file.objective);
  static_cast<protocol::RewardScale&>(simulation) = file.objective;
  simulation.seed = file.seed;
  return simulation;
}

}  // namespace duets::cli
