// A study file as something that can be simulated.
#pragma once

#include "duets/cli/study_file.h"
#include "duets/harness/simulate.h"

namespace duets::cli {

/// With the seed of the file, everybody taking part. `functions` are known beside the built-in
/// ones. kInvalid when the objective is a command.
harness::Simulation simulation_of(const StudyFile& file, std::span<const OwnFunction> functions);

}  // namespace duets::cli
