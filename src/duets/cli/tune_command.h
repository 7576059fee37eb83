// `duets tune`: a study around the user's program without a study file.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/cli/command_options.h"
#include "duets/cli/commands.h"
#include "duets/cli/extensions.h"
#include "duets/cli/local_run.h"
#include "duets/protocol/preset.h"

namespace duets::cli {

struct TuneFlags {
  CommonFlags common;
  LocalFlags local;
  std::vector<std::string> parameters;  ///< parameter_text.h
  std::vector<std::string> program;
  std::string name;  ///< of the study; empty: from the program
  bool minimize = false;
  std::uint32_t agents = 8;
  std::uint32_t horizon = 25;
  protocol::Goal goal = protocol::Goal::kFind;
  std::optional<double> infeasible_value;
};

/// "train" for "python3 train.py": a name that a study may have.
std::string study_name_of(const std::vector<std::string>& program);

/// The study file. kInvalid for a bad parameter, and for two with one name.
std::string tune_toml(const TuneFlags& flags);

/// Writes the study file beside the results and runs it. Throws base::Error.
void tune(const TuneFlags& flags, const Extensions& extensions);

/// Adds the command. `chosen` and `extensions` must outlive the app, `words` is the command line.
void add_tune(CLI::App& app, Chosen& chosen, const Extensions& extensions,
              const std::vector<std::string>& words);

}  // namespace duets::cli
