#include "duets/cli/peer_options.h"

#include <fmt/format.h>

namespace duets::cli {
namespace {

constexpr double kLeastSeconds = 1e-3;
constexpr double kMostSeconds = 1e9;
constexpr std::uint32_t kMostAgents = (std::uint32_t{1} << 31) - 1;

}  // namespace

CLI::Option* add_seconds(CLI::App& command, const std::string& name, double& value,
                         const std::string& text) {
  return command.add_option(name, value, text)
      ->check(CLI::Range(kLeastSeconds, kMostSeconds))
      ->option_text("S");
}

CLI::Option* add_peer(CLI::App& command, PeerFlags& peer) {
  CLI::Option* insecure = command.add_flag(
      "--insecure", peer.insecure, "Plaintext, without TLS; the coordinator must use it too");
  add_text(command, "--certs", peer.certs,
           fmt::format("Directory of certificates (default {})", peer.certs), "DIR")
      ->excludes(insecure);
  return add_text(command, "--server", peer.server, "Address of the coordinator", "HOST:PORT");
}

void add_source(CLI::App& command, SourceFlags& source) {
  CLI::Option* server = add_peer(command, source.peer);
  add_directory(command, "--storage", source.storage,
                "Instead of --server: a coordinator's storage directory")
      ->excludes(server);
}

void add_study_name(CLI::App& command, std::string& study) {
  add_text(command, "--study", study, "Name of the study (default: the only one)", "NAME");
}

CLI::Option* add_agent_number(CLI::App& command, std::optional<std::uint32_t>& agent,
                              const std::string& text) {
  return command.add_option("--agent", agent, text)
      ->check(CLI::Range(std::uint32_t{0}, kMostAgents))
      ->option_text("N");
}

void add_journal(CLI::App& command, std::string& journal) {
  add_directory(command, "--journal", journal,
                fmt::format("Directory of journals (default {})", journal));
}

}  // namespace duets::cli
