// Joining a study in the words of the command line.
#pragma once

#include <memory>

#include "duets/service/agent_session.h"

namespace duets::cli {

/// A session with these options; what is wrong with the study's name names --study.
std::unique_ptr<service::AgentSession> join_study(service::SessionOptions options);

}  // namespace duets::cli
