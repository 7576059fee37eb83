#include "duets/cli/run_manifest.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "duets/cli/build_info.h"

namespace duets::cli {
namespace {

nlohmann::ordered_json finite_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string manifest_json(const harness::RunResult& result, unsigned threads,
                          const std::optional<TrialRows>& trials) {
  nlohmann::ordered_json json;
  json["study"] = result.study_name;
  json["seed"] = result.seed;
  json["agents"] = result.agents;
  json["horizon"] = result.horizon;
  json["epoch_lengths"] = result.lengths;
  json["study_digest"] = result.study_digest;
  json["run_digest"] = result.run_digest;
  json["state_digest"] = result.state_digest;
  json["epochs"] = nlohmann::ordered_json::array();
  for (const protocol::EpochReport& r : result.epochs) {
    json["epochs"].push_back({{"epoch", base::value(r.epoch)},
                              {"run_digest", base::to_hex(r.run_digest)},
                              {"state_digest", base::to_hex(r.state_digest)},
                              {"smallest_margin", finite_or_null(r.smallest_margin)},
                              {"mean_error", finite_or_null(r.mean_error)}});
  }
  json["smallest_margin"] = finite_or_null(result.smallest_margin);
  json["mean_error"] = finite_or_null(result.mean_error);
  json["guarantee"] = result.guarantee;
  if (!result.horizon_changes.empty()) json["horizon_changes"] = result.horizon_changes;
  if (trials) json["trials"] = {{"kept", trials->kept}, {"rule", rule_of(*trials)}};
  for (const auto& [name, value] : build_facts()) json["build"][name] = value;
  json["build"]["threads"] = threads;
  return json.dump(2) + "\n";
}

}  // namespace duets::cli
