// Joins a study and words errors for the command line.
#pragma once

#include <memory>

#include "duets/service/agent_session.h"

namespace duets::cli {

/// A session with these options; an error about the study's name names --study.
std::unique_ptr<service::AgentSession> join_study(service::SessionOptions options);

}  // namespace duets::cli
