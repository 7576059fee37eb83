// A study file as something that can be simulated.
#pragma once

#include "duets/cli/study_file.h"
#include "duets/harness/simulate.h"

namespace duets::cli {

/// With the seed of the file, everybody taking part. kInvalid when the objective is a command.
harness::Simulation simulation_of(const StudyFile& file);

}  // namespace duets::cli
