// The CSV and JSON texts of a result directory: pure functions of the result.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duets/cli/run_trials.h"
#include "duets/harness/run_result.h"
#include "duets/protocol/study.h"

namespace duets::cli {

/// A field quoted for CSV when it needs to be.
std::string csv_field(const std::string& text);

/// A parameter's value (domain::shown_value) as a field.
std::string coordinate_field(const domain::Domain& domain, std::size_t coordinate, double value);

std::string trials_head(const domain::Domain& domain);
/// `state` is what a trial with a value is called; a regret that is not known is NaN.
std::string trials_row(const domain::Domain& domain, const harness::Trial& trial,
                       std::string_view state = "reward");
/// The same, added to `out`: for very many of them.
void append_trials_row(std::string& out, const domain::Domain& domain, const harness::Trial& trial,
                       std::string_view state = "reward");
std::string epochs_csv(const harness::RunResult& result);
/// The times of harness::shown_times.
std::string regret_csv(const harness::RunResult& result);
std::string communication_csv(const harness::RunResult& result);

/// Version, compiler, processor, digests (whole and per epoch), the smallest margin beside the
/// estimated error, and the results in short. `trials`: which queries trials.csv has, of a
/// simulation.
std::string manifest_json(const harness::RunResult& result, unsigned threads,
                          const std::optional<TrialRows>& trials = {});

}  // namespace duets::cli
