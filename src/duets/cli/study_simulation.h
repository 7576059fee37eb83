// Turns a study file into a simulation.
#pragma once

#include "duets/cli/study_file.h"
#include "duets/harness/simulate.h"

namespace duets::cli {

/// With the seed of the file and all agents taking part. `functions` are known in addition to the
/// built-in ones. kInvalid when the objective is a command.
harness::Simulation simulation_of(const StudyFile& file, std::span<const OwnFunction> functions);

}  // namespace duets::cli
