// The queries of an agent's plan.
#pragma once

#include "duets/protocol/agent.h"
#include "duets/service/agent_journal.h"
#include "duets/service/objective.h"

namespace duets::service {

/// The query of a slot of the open epoch.
Query query_of(const protocol::Study& study, const protocol::Agent& agent, std::uint32_t slot);

/// kDiverged when an answer of the open epoch was measured at another point than the plan has.
void require_same_point(const protocol::Agent& agent, const JournalAnswer& answer);

}  // namespace duets::service
