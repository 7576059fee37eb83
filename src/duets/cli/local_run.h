// Runs a study around the user's program, coordinator and agents in this process, and writes its
// result directory: `duets run` with objective.command, and `duets tune`.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "duets/base/executor.h"
#include "duets/cli/commands.h"
#include "duets/cli/extensions.h"
#include "duets/cli/program_flags.h"
#include "duets/cli/study_file.h"

namespace duets::cli {

struct LocalFlags {
  ProgramFlags program;
  unsigned parallel = 0;       ///< programs at a time; 0: one per core
  std::uint32_t horizon = 0;   ///< queries of each agent; 0: the study's
  std::string time;            ///< ends early after this long (seconds_of()); empty: never
  double until_gain = 0;       ///< ends early when no more than this can be expected; 0: never
  bool keeps_horizon = false;  ///< the file's horizon is for a new study only
  /// What to do where another study is in the journal.
  const char* way_out =
      "use the old study file or another --output, or begin again with --overwrite";
};

void add_local_flags(CLI::App& command, LocalFlags& flags);

/// Seconds from "90", "90s", "30m", "2h" or "1d". kInvalid for anything else.
double seconds_of(const std::string& text);

/// Runs the study to its end, or continues it: everything is in the journal. A finished study is
/// only reported again, or extended if the horizon is larger now. With `--overwrite` it begins
/// again. `secret_text` as in a secret file. `accepted` is called when the study can be run: it is
/// new, or the one in the journal. Throws base::Error; a CodedError when it was stopped by a
/// signal.
void run_locally(const CommonFlags& flags, const LocalFlags& given, const StudyFile& file,
                 const std::string& secret_text, const base::Executor& executor,
                 const Extensions& extensions,
                 const std::function<void(const protocol::Study&)>& accepted = {});

}  // namespace duets::cli
