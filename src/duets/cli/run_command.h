// `duets run`: simulates a study, or runs it around the user's program, and writes its result
// directory.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "duets/cli/commands.h"
#include "duets/cli/engine.h"
#include "duets/cli/extensions.h"
#include "duets/cli/local_run.h"

namespace duets::cli {

/// The flags that only `duets run` has.
struct RunFlags {
  std::string secret;         ///< file: a deployment's secret; empty: one from the seed
  std::string participation;  ///< file: who takes part; empty: all agents
  std::string trials;         ///< all, sampled or none; empty: by the number of queries
  std::string replay;         ///< shared or separate (protocol::Sharing); empty: shared
  LocalFlags local;           ///< of a study with a program
};

/// Adds the flags to the command.
void add_run_flags(CLI::App& run, RunFlags& given);

/// Throws base::Error. Of several processes the first prints and writes.
void run_study(const CommonFlags& flags, const RunFlags& given, const Extensions& extensions,
               const Engine& engine);

}  // namespace duets::cli
