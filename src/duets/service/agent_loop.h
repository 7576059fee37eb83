// The main loop of `duets agent`: get a query from the session, ask the objective, report.
#pragma once

#include <atomic>

#include "duets/service/agent_session.h"
#include "duets/service/objective.h"

namespace duets::service {

struct LoopOptions {
  /// Ends with kObjective after this many failures in a row; 0: never. A failure is a hole.
  std::uint32_t max_failures = 0;
  Log log;  ///< may be empty
};

/// Runs until the study is over or `stop` is set; then finishes and reports the current query and
/// returns. `abandon` also abandons the current query. Returns true when the study is over.
bool run_agent(AgentSession& session, Objective& objective, const std::atomic<bool>& stop,
               const std::atomic<bool>& abandon, const LoopOptions& options);

}  // namespace duets::service
