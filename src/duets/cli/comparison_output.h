// Tables, figures and report of a comparison of algorithms, as files and on standard output.
#pragma once

#include "duets/cli/experiment_run.h"
#include "duets/lab/analysis.h"
#include "duets/lab/comparison_page.h"

namespace duets::cli {

/// summary.csv, curves.csv, differences.csv, report.html and a figure for each preset.
ExperimentOutput comparison_output(const lab::Analysis& analysis, const lab::ComparisonPage& page);

}  // namespace duets::cli
