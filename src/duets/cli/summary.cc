#include "duets/cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "duets/base/count_text.h"
#include "duets/base/enum_table.h"
#include "duets/cli/found_text.h"
#include "duets/cli/json_text.h"
#include "duets/cli/queries_text.h"
#include "duets/domain/domain.h"
#include "duets/protocol/model_check.h"
#include "duets/protocol/variance.h"
#include "duets/report/table.h"
#include "duets/report/table_json.h"
#include "duets/service/message_json.h"
#include "duets/v1/duets.pb.h"

namespace duets::cli {
namespace {

using harness::RunResult;

std::vector<std::string> variance_paths(const RunResult& r) {
  std::vector<std::string> paths;
  for (const protocol::EpochReport& report : r.epochs) {
    paths.emplace_back(base::name_of(report.variance_path));
  }
  return paths;
}

std::vector<std::string> samplers(const RunResult& r) {
  std::vector<std::string> names;
  for (const protocol::EpochReport& report : r.epochs) {
    names.emplace_back(base::name_of(report.sampler.method));
  }
  return names;
}

// "exact in 1 epoch, low-rank in 3 epochs": in order of first appearance.
std::string counted(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (std::find(words.begin(), word, *word) != word) continue;
    const auto count = std::count(words.begin(), words.end(), *word);
    parts.push_back(fmt::format(
        "{} in {}", *word, base::count_text(static_cast<std::uint64_t>(count), "epoch", "epochs")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string truth_text(const RunResult& r) {
  const std::optional<double>& truth = r.recommendation->true_value;
  if (!truth) return "";
  return fmt::format("{:.6g} (best possible {:.6g})", *truth, r.optimum.value_or(*truth));
}

Rows table_rows(const RunResult& r, const std::string& directory) {
  Rows rows;
  rows.emplace_back(
      "study",
      fmt::format("{} ({} {} on a {})", r.study_name, r.direction, r.objective,
                  r.domain == base::name_of(domain::Shape::kFinite) ? "finite set" : r.domain));
  rows.emplace_back("queries", queries_text(r.agents, r.horizon));
  if (!r.horizon_changes.empty()) rows.emplace_back("horizon", r.horizon_changes);
  if (const auto found = recommendation_of(r)) {
    add_recommendation(*found, truth_text(r), rows);
  } else {
    rows.emplace_back("recommendation",
                      "none: no epoch was closed (the horizon is too short for T1)");
  }
  if (const auto found = best_trial_of(r)) add_best_trial(*found, rows);
  if (!r.cumulative_regret.empty()) {
    rows.emplace_back(
        "cumulative regret",
        fmt::format("{:.4g} over all agents, {:.4g} per query", r.cumulative_regret.back(),
                    r.cumulative_regret.back() / r.agents / r.horizon));
  }
  if (!r.epochs.empty()) {
    rows.emplace_back("variance of epochs", counted(variance_paths(r)) + "; report.html says why");
    rows.emplace_back("samplers of epochs", counted(samplers(r)));
    if (const auto check = protocol::check_model(r.epochs)) {
      rows.emplace_back("model check", protocol::model_check_text(*check));
    }
  }
  if (!r.communication.empty()) {
    const auto& sent = r.communication.back();
    rows.emplace_back("real numbers sent",
                      fmt::format("paper {:.0f}, figure {:.0f}, links {:.0f}; closing {:.0f}",
                                  sent.paper, sent.figure, sent.links, sent.closing));
  }
  rows.emplace_back("run digest", r.run_digest);
  rows.emplace_back("state digest", r.state_digest);
  rows.emplace_back("results", directory);
  rows.emplace_back("report", directory + "/report.html");
  return rows;
}

// As in a status, with the truth.
nlohmann::ordered_json recommendation_json(const RunResult& r) {
  const auto found = recommendation_of(r);
  if (!found) return nullptr;
  nlohmann::ordered_json json = service::json_of(*found);
  json["true_value"] = or_null(r.recommendation->true_value);
  return json;
}

nlohmann::ordered_json best_trial_json(const RunResult& r) {
  const auto found = best_trial_of(r);
  if (!found) return nullptr;
  nlohmann::ordered_json json = service::json_of(*found);
  if (found->params().empty()) json["params"] = nullptr;
  return json;
}

nlohmann::ordered_json summary_object(const RunResult& r) {
  nlohmann::ordered_json json;
  json["study"] = r.study_name;
  json["direction"] = r.direction;
  json["agents"] = r.agents;
  json["horizon"] = r.horizon;
  json["horizon_changes"] = nullptr;
  if (!r.horizon_changes.empty()) json["horizon_changes"] = r.horizon_changes;
  json["seed"] = r.seed;
  json["recommendation"] = recommendation_json(r);
  json["best_trial"] = best_trial_json(r);
  json["best_possible"] = or_null(r.optimum);
  json["cumulative_regret"] = nullptr;
  if (!r.cumulative_regret.empty()) json["cumulative_regret"] = r.cumulative_regret.back();
  json["communication"] = nullptr;
  if (!r.communication.empty()) {
    const auto& sent = r.communication.back();
    json["communication"] = {{"paper", sent.paper},
                             {"figure", sent.figure},
                             {"links", sent.links},
                             {"closing", sent.closing},
                             {"bytes", sent.bytes}};
  }
  json["variance_paths"] = variance_paths(r);
  json["samplers"] = samplers(r);
  json["model_check"] = nullptr;
  if (const auto check = protocol::check_model(r.epochs)) {
    json["model_check"] = {{"epoch", base::value(check->epoch)},
                           {"epochs", check->num_epochs},
                           {"rewards", check->num_rewards},
                           {"surprise", check->surprise},
                           {"fits", check->fits}};
  }
  json["guarantee"] = r.guarantee;
  json["study_digest"] = r.study_digest;
  json["run_digest"] = r.run_digest;
  json["state_digest"] = r.state_digest;
  return json;
}

std::string run_json(const RunResult& r, const std::string& directory) {
  nlohmann::ordered_json json = summary_object(r);
  json["results"] = directory;
  return json_text(json);
}

// The recommended parameters come last: they differ between studies.
std::string csv_text(const RunResult& r) {
  const harness::CommunicationPoint sent =
      r.communication.empty() ? harness::CommunicationPoint{} : r.communication.back();
  const double regret = r.cumulative_regret.empty() ? 0 : r.cumulative_regret.back();
  report::Table table{.rows = {{}}};
  const auto add = [&](std::string name, report::Value value) {
    table.head.push_back({.name = std::move(name)});
    table.rows[0].push_back({.value = std::move(value)});
  };
  const auto of_recommendation = [&](auto field) {
    return r.recommendation ? report::Value((*r.recommendation).*field) : report::Value();
  };
  using protocol::Found;
  add("agents", r.agents);
  add("horizon", r.horizon);
  add("seed", r.seed);
  add("regret", regret);
  add("paper", sent.paper);
  add("figure", sent.figure);
  add("links", sent.links);
  add("closing", sent.closing);
  add("bytes", sent.bytes);
  add("mean", of_recommendation(&Found::value));
  add("low", of_recommendation(&Found::low));
  add("high", of_recommendation(&Found::high));
  add("best_value", r.best_trial ? report::Value(r.best_trial->value) : report::Value());
  add("run_digest", r.run_digest);
  add("state_digest", r.state_digest);
  add("true_value", of_recommendation(&Found::true_value));
  add("best_possible", r.optimum);
  for (std::size_t i = 0; i < r.coordinate_names.size(); ++i) {
    add("params." + r.coordinate_names[i],
        r.recommendation
            ? report::Value(domain::shown_value(r.parameters, i, r.recommendation->values[i]))
            : report::Value());
  }
  return report::to_csv(table);
}

}  // namespace

std::string table_text(const Rows& rows) {
  std::size_t width = 0;
  for (const auto& [name, value] : rows) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : rows) text += fmt::format("{:<{}}  {}\n", name, width, value);
  return text;
}

std::string formatted(const report::Table& table, Format format) {
  if (format == Format::kCsv) return report::to_csv(table);
  if (format == Format::kJson) return json_text(report::to_json(table));
  return report::to_text(table, report::Align::kLeft);
}

std::string summary_json(const RunResult& result) { return json_text(summary_object(result)); }

std::string run_summary(const RunResult& result, Format format,
                        const std::string& output_directory) {
  switch (format) {
    case Format::kTable:
      return table_text(table_rows(result, output_directory));
    case Format::kJson:
      return run_json(result, output_directory);
    case Format::kCsv:
      return csv_text(result);
  }
  return {};
}

}  // namespace duets::cli
