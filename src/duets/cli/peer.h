// Connects commands to a coordinator: its address, and the certificate of the caller.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "duets/service/certificates.h"
#include "duets/service/link.h"
#include "duets/study/study_file.h"

namespace duets::cli {

inline constexpr const char* kUsualJournal = "duets-agent";

struct PeerFlags {
  std::string server;  ///< "HOST:PORT"
  bool insecure = false;
  std::string certs = study::kUsualCerts;
  double give_up = 0;  ///< seconds without an answer; 0: never
  double refused = 0;  ///< seconds while connections are refused; 0: like give_up
};

/// For a command that a person waits for.
inline constexpr double kGiveUpSeconds = 10;
/// The same while connections are refused: long enough for a coordinator that restarts.
inline constexpr double kRefusedSeconds = 1;

/// Gives up soon: a person waits.
inline void be_quick(PeerFlags& peer) {
  peer.give_up = kGiveUpSeconds;
  peer.refused = kRefusedSeconds;
}

/// kInvalid for a bad address or missing certificates; does not connect yet.
std::shared_ptr<service::Link> open_link(const PeerFlags& flags, const std::string& identity,
                                         service::Log log);

/// True when the server is certainly on this machine: 127.0.0.0/8, ::1 or localhost.
bool is_loopback(const std::string& server);

/// The agents whose certificate a process needs.
struct WantedAgents {
  std::string study;  ///< empty: any
  std::optional<std::uint32_t> first, last;
  bool operator_too = false;  ///< use the operator's certificate if there is none for the agent
};

/// The identity ("agent-3") of the narrowest certificate in the directory that covers the agents;
/// without a number the only agent's certificate there. kInvalid when there is none, or several and
/// no number to choose by: the error says what to do.
std::string agent_identity(const std::filesystem::path& certs, const WantedAgents& wanted);

}  // namespace duets::cli
