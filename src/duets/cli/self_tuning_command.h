// `duets reproduce --self-tuning`: presets of DUETS against DisKernelUCB tuned in hindsight.
#pragma once

#include "duets/cli/engine.h"
#include "duets/cli/reproduce_command.h"

namespace duets::cli {

/// Uses quick, runs, functions, conditions and held_out of the flags, and the first seed. Throws
/// base::Error.
void reproduce_self_tuning(const CommonFlags& flags, const ReproduceFlags& chosen,
                           const Engine& engine);

}  // namespace duets::cli
