#include "duets/cli/study_simulation.h"

#include <fmt/format.h>

#include "duets/base/error.h"
#include "duets/cli/peer.h"

namespace duets::cli {
namespace {

// The commands to use instead, on one machine.
std::string how_to_run(const StudyFile& file) {
  const std::string listen = file.coordinator.listen.value_or(study::kUsualListen);
  const std::string agents =
      file.study.agents == 1 ? "0" : fmt::format("0-{}", file.study.agents - 1);
  return fmt::format(
      "only built-in functions can be simulated; to tune with a program, start \"duets serve STUDY "
      "--insecure\" and in another terminal \"duets agent --server 127.0.0.1{} --insecure --agents "
      "{}\" (docs/fleet.md: several machines, TLS)",
      listen.substr(listen.rfind(':')), agents);
}

}  // namespace

harness::Simulation simulation_of(const StudyFile& file, std::span<const OwnFunction> functions) {
  base::require(!file.objective.builtin.empty(), "objective.command",
                fmt::format("[{}]", fmt::join(file.objective.command, ", ")), how_to_run(file));
  harness::Simulation simulation;
  simulation.study = std::make_shared<const protocol::Study>(file.study);
  simulation.problem = make_builtin(file, functions);
  simulation.noise = noise_of(file.objective);
  static_cast<protocol::RewardScale&>(simulation) = file.objective;
  simulation.seed = file.seed;
  return simulation;
}

}  // namespace duets::cli
