// Runs the experiments of the command line: checkpoints, progress, interruption, outputs.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "duets/cli/commands.h"
#include "duets/cli/engine.h"
#include "duets/lab/experiment.h"
#include "duets/lab/findings.h"

namespace duets::cli {

/// Increase it when the same settings give other numbers: older units are then not mixed with new
/// ones.
inline constexpr int kNumbersVersion = 5;

struct ExperimentPlan {
  std::string command{};  ///< "reproduce"
  lab::Experiment experiment{};
  /// Everything that the numbers depend on, by name; shown in the manifest and compared by
  /// --resume. Has "runs".
  nlohmann::ordered_json settings{};
  /// Facts about the problem that are not in tasks and contenders (the text of a study).
  std::string context{};
  std::string output{};  ///< the default directory
  std::string notice{};  ///< for people, before it starts; may be empty
  std::vector<std::pair<std::string, std::string>> files{};  ///< additional files: name and text
  /// Title, lead and facts of the page; runs, digest and program are added.
  lab::PageHead head{};
  std::function<lab::Findings(const lab::ExperimentResult& result, const lab::PageHead& head)>
      present{};
};

/// Runs the plan in its directory, or the rest of it, writes every file and prints the summary.
/// Throws CodedError, with the command that continues, when it was interrupted. Of several
/// processes the first has the directory; the others save finished units there if they can see it.
void run_plan(const ExperimentPlan& plan, const CommonFlags& flags, const Engine& engine);

/// 32 hexadecimal digits over all curves and their contenders. The same for any number of threads
/// and processes, with and without interruptions.
std::string curves_digest(const lab::Experiment& experiment, const lab::ExperimentResult& result);

/// The words as a shell command, with --resume and without --overwrite.
std::string resume_command(std::vector<std::string> words);

}  // namespace duets::cli
