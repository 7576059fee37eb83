// The report of a process's agents at the end of `duets agent`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "duets/cli/summary.h"

namespace duets::cli {

struct AgentReport {
  std::string study;
  std::uint32_t agent = 0;
  bool finished = false;         ///< the study is over for it; false: it was stopped
  std::uint64_t answers = 0;     ///< in its journal, with a value
  std::uint64_t infeasible = 0;  ///< counted as the study's infeasible_value
  std::uint64_t holes = 0;       ///< queries that failed
};

/// Reads the agent's journal in the directory `journals`. Throws kStorage.
AgentReport report_of(const std::filesystem::path& journals, const std::string& study,
                      std::uint32_t agent, bool finished);

/// As CSV or JSON. Nothing as a table: people have read it on standard error.
std::string reports_text(const std::vector<AgentReport>& reports, Format format);

}  // namespace duets::cli
