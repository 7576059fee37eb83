#include "duets/cli/scaling_command.h"

#include <fmt/format.h>

#include "duets/cli/build_info.h"
#include "duets/cli/experiment_run.h"
#include "duets/cli/flag_lists.h"
#include "duets/lab/comparison_text.h"
#include "duets/lab/scaling_figure.h"
#include "duets/lab/scaling_page.h"
#include "duets/lab/scaling_tables.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;

lab::ScalingChoice scaling_choice(const CommonFlags& flags, const ReproduceFlags& chosen) {
  lab::ScalingChoice choice;
  choice.functions = word_list("--functions", chosen.functions);
  if (choice.functions.empty()) {
    const auto all = lab::scaling_functions();
    choice.functions.assign(all.begin(), all.end());
  }
  choice.runs = chosen.runs.value_or(chosen.quick ? lab::kQuickScalingRuns : lab::kScalingRuns);
  choice.first_seed = flags.seed.value_or(1);
  check_seeds("--seed", choice.first_seed, choice.runs);
  choice.quick = chosen.quick;
  return choice;
}

std::string reduction(const ReproduceFlags& chosen, const lab::ScalingChoice& choice) {
  if (!choice.quick) return {};
  return fmt::format(
      "A quick look: T to {} (the whole has {}), N to {} ({}){}. Drop --quick for all.",
      lab::sweep_values(lab::Sweep::kHorizon, true).back(),
      lab::sweep_values(lab::Sweep::kHorizon, false).back(),
      lab::sweep_values(lab::Sweep::kAgents, true).back(),
      lab::sweep_values(lab::Sweep::kAgents, false).back(),
      chosen.runs ? "" : fmt::format(", {} ({})", runs_text(choice.runs), lab::kScalingRuns));
}

Json fit_json(const lab::SlopeFit& fit) {
  Json json;
  json["function"] = fit.function;
  json["sweep"] = lab::sweep_name(fit.sweep);
  json["measure"] = lab::growth_name(fit.growth);
  json["sizes_used"] = fit.upper_half ? "upper half" : "all";
  json["runs"] = fit.runs;
  json["slope"] = fit.slope;
  json["low"] = fit.interval ? Json(fit.interval->low) : Json(nullptr);
  json["high"] = fit.interval ? Json(fit.interval->high) : Json(nullptr);
  json["verdict"] = lab::slope_text(fit.verdict);
  return json;
}

ExperimentOutput output_of(const lab::ScalingAnalysis& analysis, const lab::ComparisonPage& page) {
  ExperimentOutput output;
  output.csv = lab::slopes_csv(analysis);
  output.table = lab::scaling_text(analysis);
  output.json["slopes"] = Json::array();
  for (const lab::SlopeFit& fit : analysis.fits) output.json["slopes"].push_back(fit_json(fit));
  output.files = {{"scaling.csv", lab::scaling_csv(analysis)},
                  {"slopes.csv", output.csv},
                  {"report.html", lab::scaling_html(analysis, page)}};
  output.figures.emplace_back("scaling.svg", lab::scaling_figure(analysis));
  return output;
}

}  // namespace

void reproduce_scaling(const CommonFlags& flags, const ReproduceFlags& chosen,
                       const Engine& engine) {
  const lab::ScalingChoice choice = scaling_choice(flags, chosen);
  const lab::Scaling scaling = lab::scaling_experiment(choice);
  ExperimentPlan plan;
  plan.command = "reproduce";
  plan.experiment = scaling.experiment;
  plan.settings = {
      {"mode", "scaling"},         {"functions", choice.functions},   {"quick", choice.quick},
      {"beta", lab::kScalingBeta}, {"first_seed", choice.first_seed}, {"runs", choice.runs}};
  plan.context = "scaling";
  plan.output = "results/reproduce-scaling";
  plan.notice = reduction(chosen, choice);
  plan.present = [&](const lab::ExperimentResult& result, const std::string& digest) {
    const lab::ScalingAnalysis analysis =
        lab::analyse_scaling(scaling, result, lab::candidate_gain(choice.first_seed));
    lab::ComparisonPage page;
    page.title = "How regret and communication of DUETS grow";
    page.lead = reduction(chosen, choice);
    page.facts = {{"Runs", lab::seeds_text(analysis.seeds)},
                  {"Digest of all curves", digest},
                  {"Program", "duets " + version()}};
    return output_of(analysis, page);
  };
  run_plan(plan, flags, engine);
}

}  // namespace duets::cli
