#include "duets/cli/variants_command.h"

#include <fmt/format.h>

#include <cmath>

#include "duets/cli/build_info.h"
#include "duets/cli/experiment_run.h"
#include "duets/cli/flag_lists.h"
#include "duets/lab/comparison_text.h"
#include "duets/lab/presets.h"
#include "duets/lab/variants_figure.h"
#include "duets/lab/variants_page.h"
#include "duets/lab/variants_tables.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;

lab::VariantsChoice variants_choice(const CommonFlags& flags, const ReproduceFlags& chosen) {
  lab::VariantsChoice choice;
  choice.functions = word_list("--functions", chosen.functions);
  if (choice.functions.empty()) {
    const auto all = lab::paper_functions();
    choice.functions.assign(all.begin(), all.end());
  }
  choice.runs = chosen.runs.value_or(chosen.quick ? lab::kQuickVariantRuns : lab::kVariantRuns);
  choice.first_seed = flags.seed.value_or(1);
  check_seeds("--seed", choice.first_seed, choice.runs);
  choice.quick = chosen.quick;
  return choice;
}

std::string reduction(const ReproduceFlags& chosen, const lab::VariantsChoice& choice) {
  if (!choice.quick) return {};
  return fmt::format("A quick look: {}DisKernelUCB with fewer D and betas. Drop --quick for all.",
                     chosen.runs ? ""
                                 : fmt::format("{} (the whole has {}), ", runs_text(choice.runs),
                                               lab::kVariantRuns));
}

std::string numbers_text(std::span<const double> numbers) {
  std::string out;
  for (const double number : numbers) {
    if (!out.empty()) out += ", ";
    out += std::isinf(number) ? "infinity" : fmt::format("{}", number);
  }
  return out;
}

Json result_json(const std::string& function, const lab::VariantResult& result) {
  Json json;
  json["function"] = function;
  json["algorithm"] = result.algorithm;
  json["variant"] = result.variant;
  json["beta"] = result.beta;
  json["runs"] = result.regret.runs;
  json["regret_mean"] = result.regret.mean;
  json["regret_std"] = result.regret.stddev ? Json(*result.regret.stddev) : Json(nullptr);
  for (const lab::Ledger ledger : lab::kLedgers) {
    json["communication"][std::string(lab::ledger_name(ledger))] =
        result.communication[static_cast<std::size_t>(ledger)].mean;
  }
  json["standing"] = lab::standing_text(result.standing);
  json["dominated_by"] = result.dominated_by;
  return json;
}

ExperimentOutput output_of(const lab::VariantsAnalysis& analysis, const lab::ComparisonPage& page) {
  ExperimentOutput output;
  output.csv = lab::variants_csv(analysis);
  output.table = lab::variants_text(analysis);
  output.json["variants"] = Json::array();
  for (const lab::VariantsTask& task : analysis.tasks) {
    for (const lab::VariantResult& result : task.results) {
      output.json["variants"].push_back(result_json(task.function, result));
    }
  }
  output.files = {{"variants.csv", output.csv},
                  {"differences.csv", lab::variant_differences_csv(analysis)},
                  {"costs.csv", lab::variant_costs_csv()},
                  {"report.html", lab::variants_html(analysis, page)}};
  output.figures.emplace_back("variants.svg", lab::variants_figure(analysis));
  return output;
}

}  // namespace

void reproduce_variants(const CommonFlags& flags, const ReproduceFlags& chosen,
                        const Engine& engine) {
  const lab::VariantsChoice choice = variants_choice(flags, chosen);
  ExperimentPlan plan;
  plan.command = "reproduce";
  plan.experiment = lab::variants_experiment(choice);
  const std::string thresholds = numbers_text(lab::frontier_thresholds(choice.quick));
  const std::string betas = numbers_text(lab::frontier_betas(choice.quick));
  plan.settings = {{"mode", "variants"},    {"functions", choice.functions},
                   {"quick", choice.quick}, {"thresholds", thresholds},
                   {"betas", betas},        {"first_seed", choice.first_seed},
                   {"runs", choice.runs}};
  plan.context = "variants";
  plan.output = "results/reproduce-variants";
  plan.notice = reduction(chosen, choice);
  plan.present = [&](const lab::ExperimentResult& result, const std::string& digest) {
    const lab::VariantsAnalysis analysis = lab::analyse_variants(plan.experiment, result);
    lab::ComparisonPage page;
    page.title = "Variants of DUETS that keep its protocol";
    page.lead = reduction(chosen, choice);
    page.facts = {{"Runs", lab::seeds_text(analysis.seeds)},
                  {"D of DisKernelUCB", thresholds},
                  {"Grid of its beta", betas},
                  {"Digest of all curves", digest},
                  {"Program", "duets " + version()}};
    return output_of(analysis, page);
  };
  run_plan(plan, flags, engine);
}

}  // namespace duets::cli
