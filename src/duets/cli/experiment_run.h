// What all experiments of the command line share: checkpoints, progress, interruption, outputs.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "duets/cli/commands.h"
#include "duets/cli/engine.h"
#include "duets/harness/figures.h"
#include "duets/lab/experiment.h"

namespace duets::cli {

/// Raise it when the same settings come to give other numbers: older units are then not mixed with
/// new ones.
inline constexpr int kNumbersVersion = 4;

/// What is shown of a finished experiment. A pure function of it: no clock, no processor.
struct ExperimentOutput {
  std::vector<std::pair<std::string, std::string>> files{};  ///< name and text
  std::vector<report::NamedFigure> figures{};                ///< "<name>.svg"
  std::string table{};                                       ///< for standard output
  std::string csv{};
  nlohmann::ordered_json json{};
};

struct ExperimentPlan {
  std::string command{};  ///< "reproduce"
  lab::Experiment experiment{};
  /// Everything that the numbers depend on, by name; shown in the manifest and compared by
  /// --resume. Has "runs".
  nlohmann::ordered_json settings{};
  /// What tasks and contenders do not say about their problem (the text of a study).
  std::string context{};
  std::string output{};  ///< the directory when the user names none
  std::string notice{};  ///< for people, before it starts; may be empty
  std::function<ExperimentOutput(const lab::ExperimentResult& result, const std::string& digest)>
      present{};
};

/// Runs the plan in its directory, or what is left of it, writes every file and prints the summary.
/// Throws CodedError, with the command to go on, when it was interrupted. Of several
/// processes the first has the directory; the others save finished units where they can see it.
void run_plan(const ExperimentPlan& plan, const CommonFlags& flags, const Engine& engine);

/// 32 hexadecimal digits over all curves, with what they belong to. The same for any number of
/// threads and processes, with and without interruptions.
std::string curves_digest(const lab::Experiment& experiment, const lab::ExperimentResult& result);

/// The words as a line for a shell, with --resume and without --overwrite.
std::string resume_command(std::vector<std::string> words);

}  // namespace duets::cli
