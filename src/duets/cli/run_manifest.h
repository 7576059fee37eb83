// The manifest of a result directory: a pure function of the result and the build.
#pragma once

#include <optional>
#include <string>

#include "duets/cli/run_trials.h"
#include "duets/harness/run_result.h"

namespace duets::cli {

/// Version, compiler, processor, digests (whole and per epoch), the smallest margin and the
/// estimated error, and a summary of the results. `trials`: which queries of a simulation are in
/// trials.csv.
std::string manifest_json(const harness::RunResult& result, unsigned threads,
                          const std::optional<TrialRows>& trials = {});

}  // namespace duets::cli
