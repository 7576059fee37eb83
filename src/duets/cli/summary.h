// What a finished run prints on standard output: data only, in the format that was asked for.
#pragma once

#include <string>

#include "duets/harness/run_result.h"

namespace duets::cli {

enum class Format : std::uint8_t { kTable, kJson, kCsv };

/// Recommendation beside best trial, final regret, communication, digests. Ends with a newline.
std::string run_summary(const harness::RunResult& result, Format format,
                        const std::string& output_directory);

}  // namespace duets::cli
