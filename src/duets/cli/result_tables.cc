#include "duets/cli/result_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "duets/cli/build_info.h"
#include "duets/protocol/variance.h"

namespace duets::cli {
namespace {

// As many digits as bring the same number back; nothing for what is not a number.
void append_number(std::string& out, double x) {
  if (std::isfinite(x)) fmt::format_to(std::back_inserter(out), "{}", x);
}

std::string number(double x) {
  std::string text;
  append_number(text, x);
  return text;
}

// Several stand in one field, apart by spaces.
std::string numbers(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : " ") + number(value);
  return text;
}

void append_coordinate(std::string& out, const domain::Domain& domain, std::size_t coordinate,
                       double value) {
  const domain::ShownValue shown = domain::shown_value(domain.parameters(), coordinate, value);
  if (const auto* any = std::get_if<double>(&shown)) {
    append_number(out, *any);
  } else {
    out += csv_field(domain::to_text(shown));
  }
}

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
  std::string field;
  append_coordinate(field, domain, coordinate, value);
  return field;
}

std::string trials_row(const domain::Domain& domain, const harness::Trial& trial,
                       std::string_view state) {
  std::string row;
  append_trials_row(row, domain, trial, state);
  return row;
}

void append_trials_row(std::string& out, const domain::Domain& domain, const harness::Trial& trial,
                       std::string_view state) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{},{},{},{}", trial.agent, trial.epoch, trial.slot, trial.t);
  for (std::size_t i = 0; i < trial.values.size(); ++i) {
    out += ',';
    append_coordinate(out, domain, i, trial.values[i]);
  }
  if (trial.hole) {
    out += ",hole,,\n";
    return;
  }
  fmt::format_to(to, ",{},", state);
  append_number(out, trial.value);
  out += ',';
  append_number(out, trial.regret);
  out += '\n';
}

std::string epochs_csv(const harness::RunResult& result) {
  std::string text =
      "epoch,planned_length,length,points,distinct_points,participants,holes,region_fraction,"
      "cut_acceptance,region_points,survivors,sampler,membership_tests,sigma2_max_open,sigma2_max,"
      "p_unclipped,p,selected,inducing,information_gain,variance_path,variance_rank,"
      "variance_tolerance,clamped,lengthscale,signal_variance,lambda,reward_offset,surprise,width,"
      "max_stddev,max_mean,tau,printed_tau,smallest_margin,mean_error,run_digest,state_digest\n";
  for (const protocol::EpochReport& r : result.epochs) {
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},"
        "{},{},{},{},{},{},{},{}\n",
        base::value(r.epoch), r.planned_length, r.length, r.num_points, r.num_distinct,
        r.num_participants, r.num_holes, number(r.region_fraction), number(r.cut_acceptance),
        r.region_points, r.survivors, base::name_of(r.sampler.method), r.membership_tests,
        number(r.sigma2_max_open), number(r.sigma2_max), number(r.p_unclipped), number(r.p),
        r.num_selected, r.num_inducing, number(r.information_gain), base::name_of(r.variance_path),
        r.variance_rank, number(r.variance_tolerance), r.num_clamped,
        numbers(r.kernel.lengthscales), number(r.kernel.variance), number(r.lambda),
        number(r.reward_offset), number(r.surprise), number(r.width), number(r.max_stddev),
        number(r.max_mean), number(r.tau), number(r.printed_tau), number(r.smallest_margin),
        number(r.mean_error), base::to_hex(r.run_digest), base::to_hex(r.state_digest));
  }
  return text;
}

std::string regret_csv(const harness::RunResult& result) {
  std::string text = "t,cumulative_regret\n";
  const std::vector<double>& curve = result.cumulative_regret;
  for (const std::size_t t : harness::shown_times(curve.size(), result.lengths)) {
    text += fmt::format("{},{}\n", t, number(curve[t - 1]));
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
  if (trials) json["trials"] = {{"kept", trials->kept}, {"rule", rule_of(*trials)}};
  for (const auto& [name, value] : build_facts()) json["build"][name] = value;
  json["build"]["threads"] = threads;
  return json.dump(2) + "\n";
}

}  // namespace duets::cli
