#include "duets/cli/self_tuning_command.h"

#include <fmt/format.h>

#include "duets/cli/build_info.h"
#include "duets/cli/experiment_run.h"
#include "duets/cli/flag_lists.h"
#include "duets/lab/comparison_text.h"
#include "duets/lab/self_tuning_figure.h"
#include "duets/lab/self_tuning_page.h"
#include "duets/lab/self_tuning_tables.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHeldOut = "held-out";

lab::SelfTuningChoice self_tuning_choice(const CommonFlags& flags, const ReproduceFlags& chosen) {
  lab::SelfTuningChoice choice;
  choice.functions = word_list("--functions", chosen.functions);
  choice.conditions = word_list("--conditions", chosen.conditions);
  if (chosen.held_out) choice.conditions = {kHeldOut};
  choice.runs =
      chosen.runs.value_or(chosen.quick ? lab::kQuickSelfTuningRuns : lab::kSelfTuningRuns);
  choice.first_seed = flags.seed.value_or(1);
  check_seeds("--seed", choice.first_seed, choice.runs);
  choice.quick = chosen.quick;
  return lab::completed(std::move(choice));
}

std::string reduction(const ReproduceFlags& chosen, const lab::SelfTuningChoice& choice) {
  if (!choice.quick) return {};
  return fmt::format("A quick look: {}fewer conditions, betas and lambdas. Drop --quick for all.",
                     chosen.runs ? ""
                                 : fmt::format("{} (the whole has {}), ", runs_text(choice.runs),
                                               lab::kSelfTuningRuns));
}

Json ratios_json(const lab::Ratios& ratios) {
  Json json;
  for (const lab::Measure measure : lab::kMeasures) {
    const auto& ratio = ratios[static_cast<std::size_t>(measure)];
    Json& entry = json[std::string(lab::measure_name(measure))];
    if (!ratio) continue;
    entry["ratio"] = ratio->value;
    entry["low"] = ratio->interval ? Json(ratio->interval->low) : Json(nullptr);
    entry["high"] = ratio->interval ? Json(ratio->interval->high) : Json(nullptr);
  }
  return json;
}

Json entry_json(const lab::SelfTuningTask& task, const lab::SelfTuningEntry& entry) {
  Json json{{"condition", task.condition}, {"function", task.function}, {"name", entry.name}};
  json["setting"] = entry.setting;
  json["runs"] = entry.regret.runs;
  json["regret_mean"] = entry.regret.mean;
  json["regret_std"] = entry.regret.stddev ? Json(*entry.regret.stddev) : Json(nullptr);
  for (const lab::Ledger ledger : lab::kLedgers) {
    json["communication"][std::string(lab::ledger_name(ledger))] =
        entry.communication[static_cast<std::size_t>(ledger)].mean;
  }
  json["reference"] = entry.reference;
  json["ratios"] = entry.reference.empty() ? Json(nullptr) : ratios_json(entry.ratios);
  return json;
}

Json mean_json(const lab::SelfTuningMean& mean) {
  return {{"condition", mean.condition},       {"group", mean.group},         {"name", mean.name},
          {"reference", mean.reference},       {"functions", mean.functions}, {"runs", mean.runs},
          {"ratios", ratios_json(mean.ratios)}};
}

ExperimentOutput output_of(const lab::SelfTuningAnalysis& analysis,
                           const lab::ComparisonPage& page) {
  ExperimentOutput output;
  output.csv = lab::self_tuning_csv(analysis);
  output.table = lab::self_tuning_text(analysis);
  output.json["self_tuning"] = Json::array();
  for (const lab::SelfTuningTask& task : analysis.tasks) {
    for (const lab::SelfTuningEntry& entry : task.entries) {
      output.json["self_tuning"].push_back(entry_json(task, entry));
    }
  }
  output.json["means"] = Json::array();
  for (const lab::SelfTuningMean& mean : analysis.means) {
    output.json["means"].push_back(mean_json(mean));
  }
  output.files = {{"self_tuning.csv", output.csv},
                  {"means.csv", lab::self_tuning_means_csv(analysis)},
                  {"report.html", lab::self_tuning_html(analysis, page)}};
  output.figures.emplace_back("self_tuning.svg", lab::self_tuning_figure(analysis));
  return output;
}

}  // namespace

void reproduce_self_tuning(const CommonFlags& flags, const ReproduceFlags& chosen,
                           const Engine& engine) {
  const lab::SelfTuningChoice choice = self_tuning_choice(flags, chosen);
  ExperimentPlan plan;
  plan.command = "reproduce";
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
  plan.notice = reduction(chosen, choice);
  plan.present = [&](const lab::ExperimentResult& result, const std::string& digest) {
    lab::ComparisonPage page;
    page.title = "DUETS that tunes itself";
    page.lead = reduction(chosen, choice);
    page.facts = {{"Runs", lab::seeds_text(plan.experiment.seeds)},
                  {"Conditions", fmt::format("{}", fmt::join(choice.conditions, ", "))},
                  {"Digest of all curves", digest},
                  {"Program", "duets " + version()}};
    return output_of(lab::analyse_self_tuning(plan.experiment, result), page);
  };
  run_plan(plan, flags, engine);
}

}  // namespace duets::cli
