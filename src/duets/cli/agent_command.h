// `duets agent`: runs one or more agents of a study on a coordinator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/cli/extensions.h"
#include "duets/cli/logger.h"
#include "duets/cli/peer.h"
#include "duets/cli/program_flags.h"
#include "duets/cli/summary.h"
#include "duets/service/definition.h"

namespace duets::cli {

struct AgentFlags {
  PeerFlags peer;
  std::string study;                   ///< empty: the only study on the server
  std::optional<std::uint32_t> agent;  ///< not together with `agents`
  std::string agents;                  ///< "A-B": several agents in this process
  std::string journal = kUsualJournal;
  bool take_over = false;
  ProgramFlags objective;
  std::vector<std::string> program;  ///< instead of the study's objective
  Format format = Format::kTable;
  LogFlags log;
};

/// The program of the command line, else the study's command; empty for a built-in function. The
/// command comes from the coordinator: kInvalid over plaintext to another machine, where anyone
/// could forge it, and where there is neither program nor objective.
std::vector<std::string> program_of(const AgentFlags& flags, const service::Definition& definition);

/// Asks the program (or the study's command or function) until the study is over or a signal
/// arrives, and prints a report of each agent (agent_report.h). Throws base::Error; with several
/// agents the first one's error, after all have ended.
void run_agents(const AgentFlags& flags, const Extensions& extensions);

}  // namespace duets::cli
