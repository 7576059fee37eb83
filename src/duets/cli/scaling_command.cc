#include "duets/cli/scaling_command.h"

#include <fmt/format.h>

#include "duets/cli/build_info.h"
#include "duets/cli/experiment_run.h"
#include "duets/cli/flag_lists.h"
#include "duets/harness/comparison_text.h"
#include "duets/harness/scaling_figure.h"
#include "duets/harness/scaling_page.h"
#include "duets/harness/scaling_tables.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;

harness::ScalingChoice choice_of(const CommonFlags& flags, const ReproduceFlags& chosen) {
  harness::ScalingChoice choice;
  choice.functions = word_list("--functions", chosen.functions);
  if (choice.functions.empty()) {
    const auto all = harness::scaling_functions();
    choice.functions.assign(all.begin(), all.end());
  }
  choice.runs =
      chosen.runs.value_or(chosen.quick ? harness::kQuickScalingRuns : harness::kScalingRuns);
  choice.first_seed = flags.seed.value_or(1);
  check_seeds("--seed", choice.first_seed, choice.runs);
  choice.quick = chosen.quick;
  return choice;
}

std::string reduction(const ReproduceFlags& chosen, const harness::ScalingChoice& choice) {
  if (!choice.quick) return {};
  return fmt::format(
      "A quick look: T to {} (the whole has {}), N to {} ({}){}. Drop --quick for all.",
      harness::sweep_values(harness::Sweep::kHorizon, true).back(),
      harness::sweep_values(harness::Sweep::kHorizon, false).back(),
      harness::sweep_values(harness::Sweep::kAgents, true).back(),
      harness::sweep_values(harness::Sweep::kAgents, false).back(),
      chosen.runs ? "" : fmt::format(", {} ({})", runs_text(choice.runs), harness::kScalingRuns));
}

Json fit_json(const harness::SlopeFit& fit) {
  Json json;
  json["function"] = fit.function;
  json["sweep"] = harness::sweep_name(fit.sweep);
  json["measure"] = harness::growth_name(fit.growth);
  json["sizes_used"] = fit.upper_half ? "upper half" : "all";
  json["runs"] = fit.runs;
  json["slope"] = fit.slope;
  json["low"] = fit.interval ? Json(fit.interval->low) : Json(nullptr);
  json["high"] = fit.interval ? Json(fit.interval->high) : Json(nullptr);
  json["verdict"] = harness::slope_text(fit.verdict);
  return json;
}

ExperimentOutput output_of(const harness::ScalingAnalysis& analysis,
                           const harness::ComparisonPage& page) {
  ExperimentOutput output;
  output.csv = harness::slopes_csv(analysis);
  output.table = harness::scaling_text(analysis);
  output.json["slopes"] = Json::array();
  for (const harness::SlopeFit& fit : analysis.fits) output.json["slopes"].push_back(fit_json(fit));
  output.files = {{"scaling.csv", harness::scaling_csv(analysis)},
                  {"slopes.csv", output.csv},
                  {"report.html", harness::scaling_html(analysis, page)}};
  output.figures.emplace_back("scaling.svg", harness::scaling_figure(analysis));
  return output;
}

}  // namespace

void reproduce_scaling(const CommonFlags& flags, const ReproduceFlags& chosen,
                       const Engine& engine) {
  const harness::ScalingChoice choice = choice_of(flags, chosen);
  const harness::Scaling scaling = harness::scaling_experiment(choice);
  ExperimentPlan plan;
  plan.command = "reproduce";
  plan.experiment = scaling.experiment;
  plan.settings = {{"mode", "scaling"},
                   {"functions", choice.functions},
                   {"quick", choice.quick},
                   {"beta", harness::kScalingBeta},
                   {"first_seed", choice.first_seed},
                   {"runs", choice.runs}};
  plan.context = "scaling";
  plan.output = "results/reproduce-scaling";
  plan.notice = reduction(chosen, choice);
  plan.present = [&](const harness::ExperimentResult& result, const std::string& digest) {
    const harness::ScalingAnalysis analysis =
        harness::analyse_scaling(scaling, result, harness::candidate_gain(choice.first_seed));
    harness::ComparisonPage page;
    page.title = "How regret and communication of DUETS grow";
    page.lead = reduction(chosen, choice);
    page.facts = {{"Runs", harness::seeds_text(analysis.seeds)},
                  {"Digest of all curves", digest},
                  {"Program", "duets " + version()}};
    return output_of(analysis, page);
  };
  run_plan(plan, flags, engine);
}

}  // namespace duets::cli
