// The loop of `duets agent`: ask the session, ask the objective, tell the session.
#pragma once

#include <atomic>

#include "duets/service/agent_session.h"
#include "duets/service/objective.h"

namespace duets::service {

struct LoopOptions {
  /// Ends with kObjective after so many failures in a row; 0: never. A failure is a hole.
  std::uint32_t max_failures = 0;
  Log log;  ///< may be empty
};

/// Until the study is over or `stop` is set: then the query under way is finished, reported, and
/// the loop returns. `abandon` gives the query up as well. Returns true when the study is over.
bool run_agent(AgentSession& session, Objective& objective, const std::atomic<bool>& stop,
               const std::atomic<bool>& abandon, const LoopOptions& options);

}  // namespace duets::service
