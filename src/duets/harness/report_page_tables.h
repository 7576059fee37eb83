// The tables of the report, as sections of the page.
#pragma once

#include "duets/harness/run_result.h"
#include "duets/report/html.h"

namespace duets::harness {

/// Every closed epoch: lengths, region, sampler, inducing set, cut.
report::Markup epochs_section(const RunResult& result);

/// The three ledgers, closing messages and bytes after each exchange.
report::Markup communication_section(const RunResult& result);

/// Seed, digests, and the smallest margin beside the rounding error.
report::Markup reproducibility_section(const RunResult& result);

}  // namespace duets::harness
