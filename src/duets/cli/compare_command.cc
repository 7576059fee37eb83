#include "duets/cli/compare_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/cli/experiment_run.h"
#include "duets/cli/flag_lists.h"
#include "duets/cli/study_file.h"
#include "duets/cli/study_simulation.h"
#include "duets/lab/comparison_findings.h"
#include "duets/lab/hindsight.h"
#include "duets/lab/presets.h"
#include "duets/lab/self_tuning.h"

namespace duets::cli {
namespace {

constexpr const char* kDuets = "duets";

struct Choice {
  StudyFile file;
  std::vector<lab::Algorithm> algorithms;  // with changes by the flags
  std::vector<double> betas;
  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    for (const lab::Algorithm& algorithm : algorithms) out.push_back(algorithm.key);
    return out;
  }
};

bool has_duets(const Choice& choice) {
  return std::any_of(choice.algorithms.begin(), choice.algorithms.end(),
                     [](const lab::Algorithm& algorithm) { return algorithm.key == kDuets; });
}

// Fails before anything is computed, instead of in the middle of a run.
void check_betas(const Choice& choice) {
  const bool trims = has_duets(choice) && choice.file.study.mode == protocol::Mode::kTuned;
  if (choice.file.study.domain->is_finite() || !trims) return;
  for (const double beta : choice.betas) {
    base::require(beta > 0, "--betas", fmt::format("{}", beta),
                  "DUETS needs beta > 0 on a domain that is not finite");
  }
}

lab::Algorithm chosen_algorithm(const std::vector<lab::Algorithm>& all, const std::string& key,
                                const CompareFlags& chosen, const StudyFile& file) {
  lab::Algorithm algorithm = lab::find_algorithm(all, key);
  if (key == kDuets && file.study.mode == protocol::Mode::kTheory) algorithm.uses_beta = false;
  algorithm.keeps_lengthscale = algorithm.preset && file.lengthscale_given;
  if (algorithm.thresholds.empty()) return algorithm;
  const std::vector<double> given = threshold_list("--threshold", chosen.thresholds);
  algorithm.thresholds = given.empty() ? algorithm.threshold_grid : given;
  return algorithm;
}

Choice choice_of(const CommonFlags& flags, const CompareFlags& chosen,
                 const Extensions& extensions) {
  Choice choice;
  choice.file = load_study(flags.study, {flags.seed, extensions.functions});
  const std::vector<lab::Algorithm> all = all_algorithms(extensions);
  std::vector<std::string> keys = word_list("--algorithms", chosen.algorithms);
  if (keys.empty()) {
    const auto usual = lab::paper_algorithms();
    keys.assign(usual.begin(), usual.end());
  }
  for (const std::string& key : keys) {
    choice.algorithms.push_back(chosen_algorithm(all, key, chosen, choice.file));
  }
  choice.betas = beta_list("--betas", chosen.betas);
  if (choice.betas.empty()) choice.betas = lab::printed_betas();
  check_betas(choice);
  check_seeds(flags.seed ? "--seed" : "study.seed", choice.file.seed, chosen.runs);
  return choice;
}

// The presets of the published study have a special meaning in tables and figures.
std::string preset_of(const StudyFile& file) {
  const auto taken = lab::preset_names();
  const bool clash = std::find(taken.begin(), taken.end(), file.study.name) != taken.end();
  return clash ? file.study.name + "-study" : file.study.name;
}

// The text is read once: a file that is edited meanwhile changes nothing. The resolved form
// includes the points of a CSV file.
lab::Experiment experiment_of(const Choice& choice, const CompareFlags& chosen,
                              const std::string& text, const Extensions& extensions) {
  lab::Task task;
  task.preset = preset_of(choice.file);
  task.function = choice.file.objective.builtin;
  task.ask_tell = lab::ask_tell_of(choice.file.study);
  task.make = [text, name = choice.file.study.name, &extensions](std::uint64_t seed) {
    const StudyFile file = parse_study(text, name + ".toml", ".", {seed, extensions.functions});
    return lab::make_instance(simulation_of(file, extensions.functions));
  };
  for (const lab::Algorithm& algorithm : choice.algorithms) {
    const auto more = lab::contenders(algorithm, choice.betas);
    task.contenders.insert(task.contenders.end(), more.begin(), more.end());
  }
  lab::Experiment experiment;
  experiment.tasks = {std::move(task)};
  experiment.seeds = lab::seeds_from(choice.file.seed, chosen.runs);
  lab::add_selection(experiment);
  return experiment;
}

// The settings of presets are not in the study's text.
std::string presets_context(const Choice& choice) {
  for (const lab::Algorithm& algorithm : choice.algorithms) {
    if (!algorithm.preset) continue;
    return fmt::format("\npresets {}, length scale {}", lab::presets_fingerprint(),
                       algorithm.keeps_lengthscale ? "given" : "guessed");
  }
  return {};
}

std::string thresholds_text(const CompareFlags& chosen) {
  return chosen.thresholds.empty() ? "each algorithm's grid" : chosen.thresholds;
}

lab::PageHead head_of(const Choice& choice, const CompareFlags& chosen) {
  const StudyFile& file = choice.file;
  return {.title = "Comparison on " + file.study.name,
          .lead = fmt::format("{} of {}: {}, {} each.", base::name_of(file.objective.direction),
                              file.objective.builtin,
                              base::count_text(file.study.agents, "agent", "agents"),
                              base::count_text(file.study.horizon, "query", "queries")),
          .facts = {{"Beta", fmt::format("{}", fmt::join(choice.betas, ", "))},
                    {"Threshold D", thresholds_text(chosen)}}};
}

}  // namespace

void compare(const CommonFlags& flags, const CompareFlags& chosen, const Extensions& extensions,
             const Engine& engine) {
  const Choice choice = choice_of(flags, chosen, extensions);
  simulation_of(choice.file, extensions.functions);  // throws when it cannot be simulated
  const std::string text = resolved_toml(choice.file);
  ExperimentPlan plan;
  plan.command = "compare";
  plan.experiment = experiment_of(choice, chosen, text, extensions);
  plan.settings = {{"study", text},
                   {"algorithms", choice.keys()},
                   {"betas", choice.betas},
                   {"threshold", thresholds_text(chosen)},
                   {"first_seed", choice.file.seed},
                   {"runs", chosen.runs}};
  plan.context = text + presets_context(choice);
  plan.context += "\nthreshold = " + thresholds_text(chosen);
  plan.output = "results/compare-" + choice.file.study.name;
  plan.notice = fmt::format(
      "{}: {} x {}, {} of {}", choice.file.study.name,
      base::count_text(choice.file.study.agents, "agent", "agents"),
      base::count_text(choice.file.study.horizon, "query", "queries"), runs_text(chosen.runs),
      base::count_text(plan.experiment.tasks[0].contenders.size(), "contender", "contenders"));
  plan.files = {{"study.toml", text}};
  plan.head = head_of(choice, chosen);
  plan.present = [&](const lab::ExperimentResult& result, const lab::PageHead& head) {
    return lab::comparison_findings(lab::analyse(plan.experiment, result, choice.algorithms), head);
  };
  run_plan(plan, flags, engine);
}

}  // namespace duets::cli
