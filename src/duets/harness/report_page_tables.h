// The tables of the report, as sections of the page.
#pragma once

#include "duets/harness/report_page_html.h"
#include "duets/harness/run_result.h"

namespace duets::harness {

/// Every closed epoch: lengths, region, sampler, inducing set, cut.
Markup epochs_section(const RunResult& result);

/// The three ledgers, closing messages and bytes after each exchange.
Markup communication_section(const RunResult& result);

/// Seed, digests, and the smallest margin beside the rounding error.
Markup reproducibility_section(const RunResult& result);

}  // namespace duets::harness
