#include <fmt/format.h>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/cli/build_info.h"
#include "duets/cli/comparison_output.h"
#include "duets/cli/flag_lists.h"
#include "duets/cli/reproduce_command.h"
#include "duets/lab/presets.h"

namespace duets::cli {
namespace {

constexpr std::uint32_t kUsualRuns = 5;
constexpr std::uint32_t kQuickRuns = 2;
constexpr const char* kQuickBetas = "0.2,0.5,1,2,5";

std::vector<std::string> presets_of(const std::string& preset) {
  std::vector<std::string> names;
  for (const std::string_view name : lab::preset_names()) {
    if (preset == "both" || preset == name) names.emplace_back(name);
  }
  base::require(!names.empty(), "--preset", preset,
                fmt::format("must be both or one of {}", fmt::join(lab::preset_names(), ", ")));
  return names;
}

lab::StudyChoice study_choice(const CommonFlags& flags, const ReproduceFlags& chosen) {
  lab::StudyChoice choice;
  choice.presets = presets_of(chosen.preset);
  choice.functions = word_list("--functions", chosen.functions);
  choice.algorithms = word_list("--algorithms", chosen.algorithms);
  const bool quick_betas = chosen.quick && chosen.betas.empty();
  choice.betas = beta_list("--betas", quick_betas ? kQuickBetas : chosen.betas);
  choice.runs = chosen.runs.value_or(chosen.quick ? kQuickRuns : kUsualRuns);
  choice.first_seed = flags.seed.value_or(1);
  check_seeds("--seed", choice.first_seed, choice.runs);
  return lab::completed(std::move(choice));
}

std::string betas_text(const lab::StudyChoice& choice) {
  if (!choice.betas.empty()) return fmt::format("{}", fmt::join(choice.betas, ", "));
  std::string text;
  for (const std::string& preset : choice.presets) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", preset,
                        fmt::join(lab::preset_betas(preset), ", "));
  }
  return text;
}

// What --quick left out; empty for the whole study.
std::string reduction(const ReproduceFlags& chosen, const lab::StudyChoice& choice) {
  std::vector<std::string> less;
  if (chosen.quick && !chosen.runs) {
    less.push_back(fmt::format("{} (the study has {})",
                               base::count_text(choice.runs, "run", "runs"), kUsualRuns));
  }
  if (chosen.quick && chosen.betas.empty()) {
    less.push_back(fmt::format("beta in {{{}}} only", betas_text(choice)));
  }
  if (less.empty()) return {};
  return fmt::format("A quick look: {}. Drop --quick for all.", fmt::join(less, ", "));
}

nlohmann::ordered_json settings_of(const lab::StudyChoice& choice) {
  return {{"mode", "figure"},
          {"presets", choice.presets},
          {"functions", choice.functions},
          {"algorithms", choice.algorithms},
          {"betas", betas_text(choice)},
          {"first_seed", choice.first_seed},
          {"runs", choice.runs}};
}

lab::ComparisonPage page_of(const ReproduceFlags& chosen, const lab::StudyChoice& choice,
                            const std::string& digest) {
  lab::ComparisonPage page;
  page.title = "The empirical study of DUETS, run again";
  page.lead = reduction(chosen, choice);
  page.facts = {{"Runs", fmt::format("{}, seeds {} to {}", choice.runs, choice.first_seed,
                                     choice.first_seed + choice.runs - 1)},
                {"Beta", betas_text(choice)},
                {"Digest of all curves", digest},
                {"Program", "duets " + version()}};
  return page;
}

}  // namespace

void reproduce_figure(const CommonFlags& flags, const ReproduceFlags& chosen,
                      const Extensions& extensions, const Engine& engine) {
  const lab::StudyChoice choice = study_choice(flags, chosen);
  const std::vector<lab::Algorithm> algorithms = all_algorithms(extensions);
  ExperimentPlan plan;
  plan.command = "reproduce";
  plan.experiment = lab::study_experiment(choice, algorithms);
  plan.settings = settings_of(choice);
  plan.output = "results/reproduce";
  plan.notice = reduction(chosen, choice);
  plan.present = [&](const lab::ExperimentResult& result, const std::string& digest) {
    return comparison_output(lab::analyse(plan.experiment, result, algorithms),
                             page_of(chosen, choice, digest));
  };
  run_plan(plan, flags, engine);
}

}  // namespace duets::cli
