// `duets reproduce --variants`: variants of DUETS that keep its protocol.
#pragma once

#include "duets/cli/engine.h"
#include "duets/cli/reproduce_command.h"

namespace duets::cli {

/// Uses quick, runs and functions of the flags, and the first seed. Throws base::Error.
void reproduce_variants(const CommonFlags& flags, const ReproduceFlags& chosen,
                        const Engine& engine);

}  // namespace duets::cli
