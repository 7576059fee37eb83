// The output of a finished run on standard output: only data, in the requested format.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "duets/harness/run_result.h"

namespace duets::report {
struct Table;
}  // namespace duets::report

namespace duets::cli {

enum class Format : std::uint8_t { kTable, kJson, kCsv };

/// Names and values, for people.
using Rows = std::vector<std::pair<std::string, std::string>>;

/// One line per row, with aligned values.
std::string table_text(const Rows& rows);

/// As CSV, as a list of objects, or for people, with all columns aligned on the left.
std::string formatted(const report::Table& table, Format format);

/// summary.json of a result directory: the JSON of run_summary() without the directory.
std::string summary_json(const harness::RunResult& result);

/// Recommendation and best trial, final regret, communication, digests. Ends with a newline.
std::string run_summary(const harness::RunResult& result, Format format,
                        const std::string& output_directory);

}  // namespace duets::cli
