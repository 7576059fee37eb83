// How the user's program is run: options that several commands share.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duets/service/definition.h"
#include "duets/service/log.h"
#include "duets/service/objective.h"

namespace duets::cli {

struct ProgramFlags {
  bool once = false;   ///< close the program's input after each query
  double timeout = 0;  ///< seconds, instead of the study's; 0: the study's
  std::optional<std::uint32_t> retries;
  std::uint32_t max_failures = 10;  ///< in a row; 0: never give up
};

void add_program_flags(CLI::App& command, ProgramFlags& flags);

/// After --: the program and its arguments.
CLI::Option* add_program(CLI::App& command, std::vector<std::string>& program,
                         const std::string& text);

/// The program as an objective of the study. `log` gets its lines; empty: they go to standard
/// error. `worker` tells the programs of one process apart. kInvalid when there is no such program.
std::unique_ptr<service::Objective> make_program(const std::vector<std::string>& command,
                                                 const service::Definition& definition,
                                                 const ProgramFlags& flags, std::uint32_t worker,
                                                 service::Log log);

}  // namespace duets::cli
