#include "duets/cli/comparison_output.h"

#include "duets/cli/json_text.h"
#include "duets/lab/claims.h"
#include "duets/lab/comparison_figure.h"
#include "duets/lab/comparison_tables.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;

Json contender_json(const lab::TaskAnalysis& task, const lab::ContenderAnalysis& c) {
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
  for (const lab::Ledger ledger : lab::kLedgers) {
    const auto index = static_cast<std::size_t>(ledger);
    json["communication"][std::string(lab::ledger_name(ledger))] =
        c.counts_communication() ? Json(c.communication[index].mean) : Json(nullptr);
  }
  return json;
}

Json claim_json(const lab::ClaimVerdict& claim) {
  Json json;
  json["claim"] = claim.claim == lab::Claim::kRegret ? "regret" : "communication";
  json["preset"] = claim.preset;
  json["betas"] = claim.plotted_betas ? "as plotted" : "best";
  json["ledger"] = claim.claim == lab::Claim::kCommunication ? Json(lab::ledger_name(claim.ledger))
                                                             : Json(nullptr);
  json["verdict"] = lab::verdict_text(claim.overall);
  for (const lab::FunctionVerdict& function : claim.functions) {
    json["functions"][function.function] = lab::verdict_text(function.verdict);
  }
  return json;
}

Json analysis_json(const lab::Analysis& analysis, const std::vector<lab::ClaimVerdict>& claims) {
  Json json;
  json["seeds"] = analysis.seeds;
  json["summary"] = Json::array();
  json["winners"] = Json::array();
  for (const lab::TaskAnalysis& task : analysis.tasks) {
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

ExperimentOutput comparison_output(const lab::Analysis& analysis, const lab::ComparisonPage& page) {
  ExperimentOutput output;
  output.csv = lab::summary_csv(analysis);
  const auto claims = lab::judge_claims(analysis);
  output.table = lab::summary_text(analysis);
  if (!claims.empty()) output.table += "\n" + lab::claims_text(claims);
  output.json = analysis_json(analysis, claims);
  output.files = {{"summary.csv", output.csv},
                  {"curves.csv", lab::curves_csv(analysis)},
                  {"differences.csv", lab::differences_csv(analysis)},
                  {"report.html", lab::comparison_html(analysis, page)}};
  for (const std::string& preset : analysis.presets()) {
    output.figures.emplace_back(
        preset + ".svg", lab::comparison_figure(analysis, preset, lab::figure_options(preset)));
  }
  return output;
}

}  // namespace duets::cli
