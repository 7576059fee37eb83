#include "duets/cli/agent_join.h"

#include "duets/base/error.h"

namespace duets::cli {

std::unique_ptr<service::AgentSession> join_study(service::SessionOptions options) {
  try {
    return std::make_unique<service::AgentSession>(std::move(options));
  } catch (const base::Error& error) {
    // The form of base::require: the service knows the field, but not the name of the option.
    std::string what = error.what();
    const std::size_t field = what.find("study = ");
    if (error.kind() != base::ErrorKind::kInvalid || field == std::string::npos) throw;
    throw base::Error(error.kind(), what.insert(field, "--"));
  }
}

}  // namespace duets::cli
