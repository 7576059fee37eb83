#include "duets/cli/result_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "duets/cli/build_info.h"

namespace duets::cli {
namespace {

// As many digits as bring the same number back; empty for what is not a number.
std::string number(double x) { return std::isfinite(x) ? fmt::format("{}", x) : std::string(); }

nlohmann::ordered_json finite_or_null(double x) {
  return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string trials_head(const domain::Domain& domain) {
  std::string head = "agent,epoch,slot,t";
  for (const std::string& name : domain.coordinate_names()) head += "," + csv_field(name);
  return head + ",state,value,regret\n";
}

std::string coordinate_field(const domain::Domain& domain, std::size_t coordinate, double value) {
  const bool categorical =
      !domain.parameters().empty() && !domain.parameters()[coordinate].choices.empty();
  return categorical ? csv_field(domain.parameters()[coordinate].choices.at(
                           static_cast<std::size_t>(value)))
                     : number(value);
}

std::string trials_row(const domain::Domain& domain, const harness::Trial& trial,
                       std::string_view state) {
  std::string row = fmt::format("{},{},{},{}", trial.agent, trial.epoch, trial.slot, trial.t);
  for (std::size_t i = 0; i < trial.values.size(); ++i) {
    row += "," + coordinate_field(domain, i, trial.values[i]);
  }
  if (trial.hole) return row + ",hole,,\n";
  return row + fmt::format(",{},{},{}\n", state, number(trial.value), number(trial.regret));
}

std::string epochs_csv(const harness::RunResult& result) {
  std::string text =
      "epoch,planned_length,length,points,distinct_points,participants,holes,region_fraction,"
      "cut_acceptance,region_points,survivors,sampler,membership_tests,sigma2_max_open,sigma2_max,"
      "p_unclipped,p,selected,inducing,information_gain,variance_path,variance_rank,"
      "variance_tolerance,clamped,width,max_stddev,max_mean,tau,smallest_margin,mean_error,"
      "run_digest,state_digest\n";
  for (const protocol::EpochReport& r : result.epochs) {
    const char* path = r.variance_path == protocol::VariancePath::kExact ? "exact" : "low-rank";
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},"
        "{},{}\n",
        base::value(r.epoch), r.planned_length, r.length, r.num_points, r.num_distinct,
        r.num_participants, r.num_holes, number(r.region_fraction), number(r.cut_acceptance),
        r.region_points, r.survivors, region::to_string(r.sampler.method), r.membership_tests,
        number(r.sigma2_max_open), number(r.sigma2_max), number(r.p_unclipped), number(r.p),
        r.num_selected, r.num_inducing, number(r.information_gain), path, r.variance_rank,
        number(r.variance_tolerance), r.num_clamped, number(r.width), number(r.max_stddev),
        number(r.max_mean), number(r.tau), number(r.smallest_margin), number(r.mean_error),
        base::to_hex(r.run_digest), base::to_hex(r.state_digest));
  }
  return text;
}

std::string regret_csv(const harness::RunResult& result) {
  std::string text = "t,cumulative_regret\n";
  for (std::size_t t = 0; t < result.cumulative_regret.size(); ++t) {
    text += fmt::format("{},{}\n", t + 1, number(result.cumulative_regret[t]));
  }
  return text;
}

std::string communication_csv(const harness::RunResult& result) {
  std::string text = "epoch,t,paper,figure,links,closing,bytes\n";
  for (const harness::CommunicationPoint& p : result.communication) {
    text += fmt::format("{},{},{},{},{},{},{}\n", p.epoch, p.t, number(p.paper), number(p.figure),
                        number(p.links), number(p.closing), p.bytes);
  }
  return text;
}

std::string manifest_json(const harness::RunResult& result, unsigned threads) {
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
  for (const auto& [name, value] : build_facts()) json["build"][name] = value;
  json["build"]["threads"] = threads;
  return json.dump(2) + "\n";
}

}  // namespace duets::cli
