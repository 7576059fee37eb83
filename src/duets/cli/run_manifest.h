// The manifest of a result directory: a pure function of the result and the build.
#pragma once

#include <optional>
#include <string>

#include "duets/cli/run_trials.h"
#include "duets/harness/run_result.h"

namespace duets::cli {

/// Version, compiler, processor, digests (whole and per epoch), the smallest margin beside the
/// estimated error, and the results in short. `trials`: which queries trials.csv has, of a
/// simulation.
std::string manifest_json(const harness::RunResult& result, unsigned threads,
                          const std::optional<TrialRows>& trials = {});

}  // namespace duets::cli
