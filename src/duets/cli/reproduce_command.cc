#include "duets/cli/reproduce_command.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "duets/base/error.h"
#include "duets/cli/experiment_run.h"
#include "duets/cli/flag_lists.h"
#include "duets/lab/comparison_findings.h"
#include "duets/lab/presets.h"
#include "duets/lab/scaling_findings.h"
#include "duets/lab/self_tuning_findings.h"
#include "duets/lab/variants_findings.h"

namespace duets::cli {
namespace {

std::vector<std::string> presets_of(const std::string& preset) {
  std::vector<std::string> names;
  const auto choices = preset == "both" ? lab::usual_presets() : lab::preset_names();
  for (const std::string_view name : choices) {
    if (preset == "both" || preset == name) names.emplace_back(name);
  }
  base::require(!names.empty(), "--preset", preset,
                fmt::format("must be both or one of {}", fmt::join(lab::preset_names(), ", ")));
  return names;
}

lab::StudyChoice figure_choice(const CommonFlags& flags, const ReproduceFlags& chosen) {
  lab::StudyChoice choice;
  choice.presets = presets_of(chosen.preset);
  choice.functions = word_list("--functions", chosen.functions);
  choice.algorithms = word_list("--algorithms", chosen.algorithms);
  choice.betas = beta_list("--betas", chosen.betas);
  choice.runs = chosen.runs.value_or(chosen.quick ? lab::kQuickStudyRuns : lab::kStudyRuns);
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

// The beginning of a notice about --quick; with the runs unless they were given.
std::string quick_look(const ReproduceFlags& chosen, std::uint32_t runs, std::uint32_t usual) {
  if (chosen.runs) return "A quick look";
  return fmt::format("A quick look that cannot decide anything: {} (the whole has {})",
                     runs_text(runs), usual);
}

// What --quick omits; empty for the whole study.
std::string figure_reduction(const ReproduceFlags& chosen, const lab::StudyChoice& choice) {
  if (!chosen.quick || chosen.runs) return {};
  return quick_look(chosen, choice.runs, lab::kStudyRuns) + ". Omit --quick for the whole study.";
}

ExperimentPlan figure_plan(const CommonFlags& flags, const ReproduceFlags& chosen,
                           const Extensions& extensions) {
  const lab::StudyChoice choice = figure_choice(flags, chosen);
  const std::vector<lab::Algorithm> algorithms = all_algorithms(extensions);
  ExperimentPlan plan;
  plan.experiment = lab::study_experiment(choice, algorithms);
  plan.settings = {{"mode", "figure"},
                   {"presets", choice.presets},
                   {"functions", choice.functions},
                   {"algorithms", choice.algorithms},
                   {"betas", betas_text(choice)},
                   {"first_seed", choice.first_seed},
                   {"runs", choice.runs}};
  plan.output = "results/reproduce";
  plan.notice = figure_reduction(chosen, choice);
  plan.head = {.title = "The empirical study of DUETS, run again",
               .facts = {{"Beta", betas_text(choice)}}};
  plan.present = [experiment = plan.experiment, algorithms](const lab::ExperimentResult& result,
                                                            const lab::PageHead& head) {
    return lab::comparison_findings(lab::analyse(experiment, result, algorithms), head);
  };
  return plan;
}

// The flags that the other studies use.
template <class Choice>
Choice choice_of(const CommonFlags& flags, const ReproduceFlags& chosen, std::uint32_t usual,
                 std::uint32_t quick) {
  Choice choice;
  choice.functions = word_list("--functions", chosen.functions);
  choice.runs = chosen.runs.value_or(chosen.quick ? quick : usual);
  choice.first_seed = flags.seed.value_or(1);
  check_seeds("--seed", choice.first_seed, choice.runs);
  choice.quick = chosen.quick;
  return choice;
}

template <class Names>
void name_all(std::vector<std::string>& functions, const Names& all) {
  if (functions.empty()) functions.assign(all.begin(), all.end());
}

ExperimentPlan scaling_plan(const CommonFlags& flags, const ReproduceFlags& chosen) {
  auto choice =
      choice_of<lab::ScalingChoice>(flags, chosen, lab::kScalingRuns, lab::kQuickScalingRuns);
  name_all(choice.functions, lab::scaling_functions());
  const lab::Scaling scaling = lab::scaling_experiment(choice);
  ExperimentPlan plan;
  plan.experiment = scaling.experiment;
  plan.settings = {
      {"mode", "scaling"},         {"functions", choice.functions},   {"quick", choice.quick},
      {"beta", lab::kScalingBeta}, {"first_seed", choice.first_seed}, {"runs", choice.runs}};
  plan.context = "scaling";
  plan.output = "results/reproduce-scaling";
  if (choice.quick) {
    const auto last = [](lab::Sweep sweep, bool quick) {
      return lab::sweep_values(sweep, quick).back();
    };
    plan.notice = fmt::format(
        "{}; T to {} (the whole has {}), N to {} ({}). Omit --quick for the whole study.",
        quick_look(chosen, choice.runs, lab::kScalingRuns), last(lab::Sweep::kHorizon, true),
        last(lab::Sweep::kHorizon, false), last(lab::Sweep::kAgents, true),
        last(lab::Sweep::kAgents, false));
  }
  plan.head = {.title = "How regret and communication of DUETS grow"};
  plan.present = [scaling, seed = choice.first_seed](const lab::ExperimentResult& result,
                                                     const lab::PageHead& head) {
    return lab::scaling_findings(lab::analyse_scaling(scaling, result, lab::candidate_gain(seed)),
                                 head);
  };
  return plan;
}

std::string numbers_text(std::span<const double> numbers) {
  std::string out;
  for (const double number : numbers) {
    if (!out.empty()) out += ", ";
    out += std::isinf(number) ? "infinity" : fmt::format("{}", number);
  }
  return out;
}

ExperimentPlan variants_plan(const CommonFlags& flags, const ReproduceFlags& chosen) {
  auto choice =
      choice_of<lab::VariantsChoice>(flags, chosen, lab::kVariantRuns, lab::kQuickVariantRuns);
  name_all(choice.functions, lab::paper_functions());
  const std::string thresholds = numbers_text(lab::frontier_thresholds(choice.quick));
  const std::string betas = numbers_text(lab::frontier_betas(choice.quick));
  ExperimentPlan plan;
  plan.experiment = lab::variants_experiment(choice);
  plan.settings = {{"mode", "variants"},    {"functions", choice.functions},
                   {"quick", choice.quick}, {"thresholds", thresholds},
                   {"betas", betas},        {"first_seed", choice.first_seed},
                   {"runs", choice.runs}};
  plan.context = "variants";
  plan.output = "results/reproduce-variants";
  if (choice.quick) {
    plan.notice =
        fmt::format("{}; DisKernelUCB with fewer D and betas. Omit --quick for the whole study.",
                    quick_look(chosen, choice.runs, lab::kVariantRuns));
  }
  plan.head = {.title = "Variants of DUETS that keep its protocol",
               .facts = {{"D of DisKernelUCB", thresholds}, {"Grid of its beta", betas}}};
  plan.present = [experiment = plan.experiment](const lab::ExperimentResult& result,
                                                const lab::PageHead& head) {
    return lab::variants_findings(lab::analyse_variants(experiment, result), head);
  };
  return plan;
}

ExperimentPlan self_tuning_plan(const CommonFlags& flags, const ReproduceFlags& chosen) {
  auto choice = choice_of<lab::SelfTuningChoice>(flags, chosen, lab::kSelfTuningRuns,
                                                 lab::kQuickSelfTuningRuns);
  choice.conditions = word_list("--conditions", chosen.conditions);
  if (chosen.held_out) {
    for (const lab::Condition& condition : lab::held_out_conditions())
      choice.conditions.emplace_back(condition.key);
  }
  choice = lab::completed(std::move(choice));
  ExperimentPlan plan;
  plan.experiment = lab::self_tuning_experiment(choice);
  plan.settings = {{"mode", "self-tuning"},
                   {"conditions", choice.conditions},
                   {"functions", choice.functions},
                   {"quick", choice.quick},
                   {"presets", lab::presets_fingerprint()},
                   {"first_seed", choice.first_seed},
                   {"runs", choice.runs}};
  plan.context = "self-tuning " + lab::presets_fingerprint();
  plan.output = chosen.held_out ? "results/reproduce-held-out" : "results/reproduce-self-tuning";
  if (choice.quick) {
    plan.notice =
        fmt::format("{}; fewer conditions and a smaller grid. Omit --quick for the whole study.",
                    quick_look(chosen, choice.runs, lab::kSelfTuningRuns));
  }
  plan.head = {.title = "DUETS that tunes itself",
               .facts = {{"Conditions", fmt::format("{}", fmt::join(choice.conditions, ", "))}}};
  plan.present = [experiment = plan.experiment](const lab::ExperimentResult& result,
                                                const lab::PageHead& head) {
    return lab::self_tuning_findings(lab::analyse_self_tuning(experiment, result), head);
  };
  return plan;
}

}  // namespace

void reproduce(const CommonFlags& flags, const ReproduceFlags& chosen, const Extensions& extensions,
               const Engine& engine) {
  ExperimentPlan plan = chosen.scaling       ? scaling_plan(flags, chosen)
                        : chosen.variants    ? variants_plan(flags, chosen)
                        : chosen.self_tuning ? self_tuning_plan(flags, chosen)
                                             : figure_plan(flags, chosen, extensions);
  plan.command = "reproduce";
  plan.head.lead = plan.notice;
  run_plan(plan, flags, engine);
}

}  // namespace duets::cli
