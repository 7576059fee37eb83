// How far a study is and what its agents are doing, from its status.
#pragma once

#include <optional>
#include <string>

#include "duets/service/study_status.h"

namespace duets::cli {

/// Queries of the open epoch that have an answer. Who has uploaded has answered all of them, even
/// if no heartbeat came to say so.
std::uint32_t answered_of(const service::StudyStatus& status, const service::AgentStatus& agent);

/// In a study that runs "delivered" (has uploaded for the open epoch), "measuring" (at work),
/// "lost", "left" or "never seen"; "done" when the study has finished; "retired" always.
std::string agent_state(const service::StudyStatus& status, const service::AgentStatus& agent);

/// How many are not retired.
std::uint32_t num_active(const service::StudyStatus& status);

/// The share of all queries that are over, 0 to 1: those of closed epochs, and of the open one what
/// the agents that are not retired have answered.
double progress_of(const service::StudyStatus& status);

/// Until the last query, as long as the slowest agent takes: the rest of the open epoch, then the
/// later ones. Nothing when the study does not run, no agent has measured how long a query takes,
/// or an agent whose upload is missing is not at work.
std::optional<double> seconds_left(const service::StudyStatus& status);

/// "epoch 3 of 6, 57 % of all queries, about 4 min 05 s left".
std::string progress_text(const service::StudyStatus& status);

}  // namespace duets::cli
