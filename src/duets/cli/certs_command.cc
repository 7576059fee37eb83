#include "duets/cli/certs_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include "duets/base/error.h"
#include "duets/cli/command_options.h"
#include "duets/cli/json_text.h"
#include "duets/cli/print_to.h"
#include "duets/service/certificates.h"

namespace duets::cli {
namespace {

using service::Identity;

constexpr std::uint32_t kAuthorityDays = 3650;
constexpr std::uint32_t kMaxDays = 36500;

void advise(const CertsFlags& flags, const std::string& text) {
  if (flags.verbosity != Verbosity::kQuiet) print_to(stderr, "{}\n", text);
}

/// The created files; `identity` is the name in the certificate.
struct Made {
  std::filesystem::path certificate, key;
  std::string identity;
  std::int64_t days = 0;
};

void print_made(const CertsFlags& flags, const Made& made) {
  if (flags.format == Format::kJson) {
    std::cout << json_text({{"identity", made.identity},
                            {"certificate", made.certificate.string()},
                            {"key", made.key.string()},
                            {"days", made.days}});
    return;
  }
  fmt::print(std::cout, "{}\n{}\n", made.certificate.string(), made.key.string());
}

void make_files(const CertsFlags& flags, const Identity& identity, const std::string& machine) {
  service::CertificateRequest request;
  request.identity = identity;
  request.hosts = flags.hosts;
  if (flags.days != 0) request.days = flags.days;
  const auto files = service::make_certificate(flags.directory, request);
  print_made(flags, {files.certificate, files.key, service::common_name(identity), request.days});
  advise(flags, fmt::format("Copy to {}: ca.crt, {} and {}, into a directory certs; the .key stays "
                            "secret, and ca.key stays here.",
                            machine, files.certificate.filename().string(),
                            files.key.filename().string()));
}

// The common name has this grammar already, except for one number or two.
Identity parse_agents(const CertsFlags& flags) {
  const bool several = flags.agents.find('-') != std::string::npos;
  auto identity = service::parse_identity((several ? "agents-" : "agent-") + flags.agents);
  base::require(identity.has_value(), "agents", flags.agents,
                "must be a number such as 3, or FIRST-LAST with FIRST < LAST such as 0-99");
  identity->study = flags.study;
  return *identity;
}

std::shared_ptr<CertsFlags> add_one(CLI::App& certs, const std::string& name,
                                    const std::string& text, std::function<void()>& chosen,
                                    void (*action)(const CertsFlags&)) {
  auto flags = std::make_shared<CertsFlags>();
  CLI::App* command = certs.add_subcommand(name, text);
  add_text(*command, "--dir", flags->directory,
           fmt::format("Directory of the authority (default {})", flags->directory), "DIR");
  command
      ->add_option("--days", flags->days,
                   fmt::format("Days of validity (default {})",
                               action == make_authority_files
                                   ? std::to_string(kAuthorityDays)
                                   : std::to_string(service::CertificateRequest{}.days)))
      ->check(CLI::Range(std::uint32_t{1}, kMaxDays))
      ->option_text("N");
  add_format(*command, flags->format, {"table", "json"});
  add_quiet(*command, flags->verbosity);
  command->callback([flags, action, &chosen] { chosen = [flags, action] { action(*flags); }; });
  return flags;
}

}  // namespace

void make_authority_files(const CertsFlags& flags) {
  const std::uint32_t days = flags.days == 0 ? kAuthorityDays : flags.days;
  service::make_authority(flags.directory, days);
  const std::filesystem::path directory = flags.directory;
  print_made(flags, {directory / "ca.crt", directory / "ca.key", "authority", days});
  advise(flags,
         "Copy ca.crt to every machine. Keep ca.key here: whoever has it can admit anyone.\n"
         "Next: duets certs server --host NAME_OR_ADDRESS; duets certs agent 0");
}

void make_server_files(const CertsFlags& flags) {
  Identity identity;
  identity.role = Identity::Role::kCoordinator;
  make_files(flags, identity, "the coordinator's machine");
}

void make_agent_files(const CertsFlags& flags) {
  const Identity identity = parse_agents(flags);
  const bool one = identity.first == identity.last;
  make_files(flags, identity,
             one ? fmt::format("the machine of agent {}", identity.first)
                 : fmt::format("the machines of agents {} to {}", identity.first, identity.last));
}

void make_operator_files(const CertsFlags& flags) {
  Identity identity;
  identity.role = Identity::Role::kOperator;
  make_files(flags, identity, "the machine of the operator");
}

void add_certs(CLI::App& app, std::function<void()>& chosen) {
  CLI::App* certs = app.add_subcommand("certs", "Create the certificates of a fleet");
  certs->require_subcommand(1);
  add_one(*certs, "init", "Create the private authority", chosen, make_authority_files);
  const auto server =
      add_one(*certs, "server", "Create the coordinator's certificate", chosen, make_server_files);
  certs->get_subcommand("server")
      ->add_option("--host", server->hosts, "Host names and IP addresses that agents connect to")
      ->required()
      ->option_text("NAME_OR_IP...");
  const auto agent =
      add_one(*certs, "agent", "Create a certificate for one agent, or for several on one machine",
              chosen, make_agent_files);
  CLI::App* command = certs->get_subcommand("agent");
  command->add_option("agents", agent->agents, "Agent number, or FIRST-LAST")
      ->required()
      ->option_text("N|A-B");
  add_text(*command, "--study", agent->study, "Only for this study (default: any)", "NAME");
  add_one(*certs, "operator", "Create a certificate for an operator, who manages studies", chosen,
          make_operator_files);
}

}  // namespace duets::cli
