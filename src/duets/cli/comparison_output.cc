#include "duets/cli/comparison_output.h"

#include "duets/cli/json_text.h"
#include "duets/harness/claims.h"
#include "duets/harness/comparison_figure.h"
#include "duets/harness/comparison_tables.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;

Json contender_json(const harness::TaskAnalysis& task, const harness::ContenderAnalysis& c) {
  Json json;
  json["preset"] = task.preset;
  json["function"] = task.function;
  json["algorithm"] = c.algorithm;
  json["variant"] = c.variant;
  json["beta"] = or_null(c.beta);
  json["is_best_beta"] = c.is_best_beta;
  json["runs"] = c.regret.runs;
  json["regret_mean"] = c.regret.mean;
  json["regret_std"] = or_null(c.regret.stddev);
  json["regret_low"] = c.regret.interval ? Json(c.regret.interval->low) : Json(nullptr);
  json["regret_high"] = c.regret.interval ? Json(c.regret.interval->high) : Json(nullptr);
  for (const harness::Ledger ledger : harness::kLedgers) {
    const auto index = static_cast<std::size_t>(ledger);
    json["communication"][std::string(harness::ledger_name(ledger))] =
        c.counts_communication() ? Json(c.communication[index].mean) : Json(nullptr);
  }
  return json;
}

Json claim_json(const harness::ClaimVerdict& claim) {
  Json json;
  json["claim"] = claim.claim == harness::Claim::kRegret ? "regret" : "communication";
  json["preset"] = claim.preset;
  json["betas"] = claim.plotted_betas ? "as plotted" : "best";
  json["ledger"] = claim.claim == harness::Claim::kCommunication
                       ? Json(harness::ledger_name(claim.ledger))
                       : Json(nullptr);
  json["verdict"] = harness::verdict_text(claim.overall);
  for (const harness::FunctionVerdict& function : claim.functions) {
    json["functions"][function.function] = harness::verdict_text(function.verdict);
  }
  return json;
}

Json analysis_json(const harness::Analysis& analysis,
                   const std::vector<harness::ClaimVerdict>& claims) {
  Json json;
  json["seeds"] = analysis.seeds;
  json["summary"] = Json::array();
  json["winners"] = Json::array();
  for (const harness::TaskAnalysis& task : analysis.tasks) {
    for (const auto& contender : task.contenders) {
      json["summary"].push_back(contender_json(task, contender));
    }
    const Json winner = task.winner ? Json(task.contenders[*task.winner].label()) : Json(nullptr);
    json["winners"].push_back({{"preset", task.preset},
                               {"function", task.function},
                               {"winner", winner},
                               {"text", task.winner_text}});
  }
  json["claims"] = Json::array();
  for (const auto& claim : claims) json["claims"].push_back(claim_json(claim));
  return json;
}

}  // namespace

ExperimentOutput comparison_output(const harness::Analysis& analysis,
                                   const harness::ComparisonPage& page) {
  ExperimentOutput output;
  output.csv = harness::summary_csv(analysis);
  const auto claims = harness::judge_claims(analysis);
  output.table = harness::summary_text(analysis);
  if (!claims.empty()) output.table += "\n" + harness::claims_text(claims);
  output.json = analysis_json(analysis, claims);
  output.files = {{"summary.csv", output.csv},
                  {"curves.csv", harness::curves_csv(analysis)},
                  {"differences.csv", harness::differences_csv(analysis)},
                  {"report.html", harness::comparison_html(analysis, page)}};
  for (const std::string& preset : analysis.presets()) {
    output.figures.emplace_back(
        preset + ".svg",
        harness::comparison_figure(analysis, preset, harness::figure_options(preset)));
  }
  return output;
}

}  // namespace duets::cli
