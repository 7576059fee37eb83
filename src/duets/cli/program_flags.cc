#include "duets/cli/program_flags.h"

#include <fmt/format.h>

#include <utility>

#include "duets/cli/peer_options.h"
#include "duets/service/program.h"

namespace duets::cli {

void add_program_flags(CLI::App& command, ProgramFlags& flags) {
  command.add_flag("--once", flags.once,
                   "Start the program for each query and close its input after the query");
  add_seconds(command, "--timeout", flags.timeout,
              "Time limit of a query in seconds (default: the study's, else 600)");
  command
      .add_option("--retries", flags.retries,
                  "Further attempts after a failed one (default: the study's, else 0)")
      ->check(CLI::Range(0, 1000))
      ->option_text("N");
  command
      .add_option(
          "--max-failures", flags.max_failures,
          fmt::format(
              "Exit with code 8 after this many failed queries in a row (default {}; 0: never)",
              flags.max_failures))
      ->check(CLI::Range(std::uint32_t{0}, std::uint32_t{1} << 30))
      ->option_text("K");
}

CLI::Option* add_program(CLI::App& command, std::vector<std::string>& program,
                         const std::string& text) {
  return command.add_option("program", program, text)->option_text("PROGRAM ARGUMENTS...");
}

std::unique_ptr<service::Objective> make_program(const std::vector<std::string>& command,
                                                 const service::Definition& definition,
                                                 const ProgramFlags& flags, std::uint32_t worker,
                                                 service::Log log) {
  service::ProgramOptions options;
  options.command = command;
  options.study = definition.study->name;
  options.worker = worker;
  options.timeout_seconds = flags.timeout > 0 ? flags.timeout : definition.objective().timeout;
  options.retries = flags.retries.value_or(definition.objective().retries);
  options.once = flags.once;
  const domain::Domain& domain = *definition.study->domain;
  if (domain.shape() == domain::Shape::kBox) options.parameters = domain.parameters();
  options.dimension = domain.dimension();
  options.log = std::move(log);
  return std::make_unique<service::Program>(std::move(options));
}

}  // namespace duets::cli
