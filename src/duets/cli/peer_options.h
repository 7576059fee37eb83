// Options for the address of a coordinator and the identity of the caller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "duets/cli/command_options.h"
#include "duets/cli/peer.h"
#include "duets/cli/study_source.h"

namespace duets::cli {

/// A positive number of seconds.
CLI::Option* add_seconds(CLI::App& command, const std::string& name, double& value,
                         const std::string& text);
/// --server, --insecure, --certs. Returns --server.
CLI::Option* add_peer(CLI::App& command, PeerFlags& peer);
/// The same or --storage.
void add_source(CLI::App& command, SourceFlags& source);
/// --study.
void add_study_name(CLI::App& command, std::string& study);
/// --agent.
CLI::Option* add_agent_number(CLI::App& command, std::optional<std::uint32_t>& agent,
                              const std::string& text);
/// --journal.
void add_journal(CLI::App& command, std::string& journal);

}  // namespace duets::cli
