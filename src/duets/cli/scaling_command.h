// `duets reproduce --scaling`: how regret and communication of DUETS grow.
#pragma once

#include "duets/cli/engine.h"
#include "duets/cli/reproduce_command.h"

namespace duets::cli {

/// Uses quick, runs and functions of the flags, and the first seed. Throws base::Error.
void reproduce_scaling(const CommonFlags& flags, const ReproduceFlags& chosen,
                       const Engine& engine);

}  // namespace duets::cli
