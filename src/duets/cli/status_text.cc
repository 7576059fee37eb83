#include "duets/cli/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "duets/base/count_text.h"
#include "duets/cli/agent_numbers.h"
#include "duets/cli/found_text.h"
#include "duets/cli/json_text.h"
#include "duets/cli/progress_bar.h"
#include "duets/cli/queries_text.h"
#include "duets/cli/status_events.h"
#include "duets/domain/shown_value.h"
#include "duets/report/table.h"
#include "duets/service/message_json.h"
#include "duets/service/study_status.h"
#include "duets/service/wire.h"
#include "duets/v1/duets.pb.h"

namespace duets::cli {
namespace {

using Params = google::protobuf::RepeatedPtrField<v1::Param>;

// Stopped by a signal or killed: neither over nor running.
bool is_unserved(const v1::StudyStatus& status) {
  return !status.served() && !is_over(status) && !status.local();
}

// A run on one machine that can be continued.
bool is_stopped(const v1::StudyStatus& status) {
  return status.local() && !status.served() && !is_over(status);
}

std::string state_text(const v1::StudyStatus& status) {
  return is_stopped(status) ? "stopped" : service::word_of(status.state());
}

// "gave up 3 min 05 s ago: only 2 of the 3 agents that epoch 1 ...".
std::string unserved_text(const v1::StudyStatus& status) {
  const v1::ServiceEnd& end = status.ended();
  if (!status.has_ended()) return "no coordinator runs on this storage";
  if (!end.has_seconds_ago()) return "its coordinator recorded no end: probably killed or crashed";
  return fmt::format("{} {} ago{}{}", end.how(), duration_text(end.seconds_ago()),
                     end.why().empty() ? "" : ": ", end.why());
}

std::string no_best_trial(const v1::StudyStatus& status) {
  if (!is_over(status)) return "none yet: agents report theirs after the last query";
  if (status.state() != v1::STUDY_STATE_FINISHED) {
    return "none: the study ended before agents reported theirs";
  }
  const bool all_took_part = std::ranges::all_of(
      status.closed_epochs(), [](const v1::EpochStatus& e) { return e.excluded().empty(); });
  return all_took_part ? "none: every query failed" : "none: no agent reported one";
}

void add_found(const v1::StudyStatus& status, Rows& rows) {
  if (status.has_recommendation()) {
    add_recommendation(status.recommendation(), "", rows);
  } else {
    rows.emplace_back("recommendation", is_over(status) ? "none: no closed epoch has measurements"
                                                        : "none yet: no epoch was closed");
  }
  if (status.has_best_trial()) {
    add_best_trial(status.best_trial(), rows);
  } else {
    rows.emplace_back("best trial", no_best_trial(status));
  }
}

// Its first sentence, in lines that fit a terminal; JSON has the whole text.
void add_guarantee(const v1::StudyStatus& status, Rows& rows) {
  constexpr std::size_t kWidth = 62;
  std::string rest = status.guarantee().substr(0, status.guarantee().find(". "));
  if (rest.ends_with('.')) rest.pop_back();
  const char* name = "guarantee";
  while (!rest.empty()) {
    const std::size_t space = rest.size() <= kWidth ? std::string::npos : rest.rfind(' ', kWidth);
    rows.emplace_back(name, rest.substr(0, space));
    rest = space == std::string::npos ? "" : rest.substr(space + 1);
    name = "";
  }
}

std::string digest_text(const v1::Digest& digest) {
  return digest.low() == 0 && digest.high() == 0 ? "-" : base::to_hex(service::from_wire(digest));
}

// "5 measuring, 2 delivered, 1 retired".
std::string agents_row(const v1::StudyStatus& status) {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const v1::AgentStatus& agent : status.agent_status()) {
    const auto found =
        std::ranges::find(counts, agent.state(), &decltype(counts)::value_type::first);
    if (found == counts.end()) {
      counts.emplace_back(agent.state(), 1);
    } else {
      ++found->second;
    }
  }
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "epoch 3 of 6, 57 % of all queries, about 4 min 05 s left".
std::string progress_text(const v1::StudyStatus& status) {
  std::string text = fmt::format("epoch {} of {}, {:.0f} % of all queries", status.epoch(),
                                 status.epochs(), 100 * status.progress());
  if (status.has_seconds_left()) {
    text += fmt::format(", about {} left", duration_text(status.seconds_left()));
  }
  return text;
}

void add_epoch(const v1::StudyStatus& status, Rows& rows) {
  if (is_over(status)) return;
  rows.emplace_back("progress", progress_text(status));
  rows.emplace_back("epoch", fmt::format("{} per agent, open for {}",
                                         count_text(status.epoch_length(), "query", "queries"),
                                         duration_text(status.epoch_seconds())));
  if (status.local()) return;  // its agents are not known apart
  rows.emplace_back("agents", agents_row(status));
  rows.emplace_back("epochs close", closing_text(status));
  if (status.has_deadline_seconds()) {
    const double left = status.deadline_seconds() - status.epoch_seconds();
    const std::string agents = fmt::format(
        "{} of {}", status.quorum(), count_text(service::num_active(status), "agent", "agents"));
    rows.emplace_back("deadline",
                      left > 0 ? fmt::format("in {}, with at least {}", duration_text(left), agents)
                               : "over: closes with " + agents);
  }
  if (!status.served()) return;
  const std::string waiting = service::waiting_text(status);
  if (!waiting.empty()) rows.emplace_back("held up", waiting);
}

void add_participation(const v1::StudyStatus& status, Rows& rows) {
  std::uint64_t holes = 0;
  for (const v1::EpochStatus& epoch : status.closed_epochs()) {
    holes += epoch.holes();
    if (epoch.excluded().empty() && epoch.holes() == 0 && epoch.why() == "complete") continue;
    rows.emplace_back("participation", closed_text(epoch, status.agents()));
  }
  if (holes > 0) {
    rows.emplace_back("holes", count_text(holes, "query", "queries") + " without an answer");
  }
}

Rows study_rows(const v1::StudyStatus& status) {
  Rows rows;
  std::string state = state_text(status);
  if (!status.problem().empty()) state += ": " + status.problem();
  rows.emplace_back("study", fmt::format("{}, {}", status.study(), state));
  if (is_unserved(status)) {
    rows.emplace_back("not being served", unserved_text(status) + "; continue with 'duets serve'");
  }
  if (is_stopped(status)) {
    rows.emplace_back("to continue", "repeat the 'duets run', 'duets tune' or Python call");
  }
  rows.emplace_back("queries", queries_text(status.agents(), status.horizon()));
  add_epoch(status, rows);
  add_participation(status, rows);
  add_found(status, rows);
  add_guarantee(status, rows);
  const v1::Traffic& traffic = status.traffic();
  rows.emplace_back("traffic", fmt::format("{}; up {}, down {}, closing {}; {} over the links",
                                           count_text(traffic.calls(), "call", "calls"),
                                           bytes_text(traffic.payload_up_bytes()),
                                           bytes_text(traffic.payload_down_bytes()),
                                           bytes_text(traffic.closing_bytes()),
                                           count_text(traffic.reals_links(), "real", "reals")));
  rows.emplace_back("study digest", digest_text(status.study_digest()));
  rows.emplace_back("run digest", digest_text(status.run_digest()));
  rows.emplace_back("state digest", digest_text(status.state_digest()));
  return rows;
}

std::string pace_text(const v1::AgentStatus& agent) {
  return agent.seconds_per_query() > 0 ? fmt::format("{:.3g}", agent.seconds_per_query()) : "";
}

std::string heard_text(const v1::AgentStatus& agent) {
  return agent.presence() == v1::PRESENCE_NEVER_SEEN ? ""
                                                     : duration_text(agent.heard_seconds_ago());
}

// An agent's numbers for the open epoch mean nothing when none is open.
report::Columns<v1::AgentStatus> agent_columns(const v1::StudyStatus& status) {
  using A = v1::AgentStatus;
  const auto plain = [](auto field) {
    return [field](const A& a) { return std::to_string((a.*field)()); };
  };
  const report::Column<A> number = {"", plain(&A::agent), "agent"};
  const report::Column<A> state = {"", &A::state, "state"};
  const report::Column<A> host = {"", &A::host, "host"};
  const report::Column<A> pace = {"", pace_text, "s/query"};
  if (is_over(status)) {
    return {number, state, host, pace, {"", plain(&A::epochs_excluded), "epochs without it"}};
  }
  const auto answered = [length = status.epoch_length()](const A& a) {
    return fmt::format("{}/{}", a.answered(), length);
  };
  return {number,
          state,
          host,
          {"", answered, "answered"},
          {"", plain(&A::holes), "holes"},
          pace,
          {"", heard_text, "heard ago"}};
}

/// An agent of a study.
struct AgentRow {
  const v1::StudyStatus* study;
  nlohmann::ordered_json agent;
};

// True and false are words, as in JSON.
report::Value csv_value(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? report::Value(value.get<double>()) : value.dump();
}

// In addition to the study, every field of an agent under its name.
report::Columns<AgentRow> agent_row_columns() {
  report::Columns<AgentRow> columns = {
      {"study", [](const AgentRow& r) { return r.study->study(); }},
      {"study_state", [](const AgentRow& r) { return service::word_of(r.study->state()); }},
      {"epoch", [](const AgentRow& r) { return r.study->epoch(); }},
      {"epoch_length", [](const AgentRow& r) { return r.study->epoch_length(); }}};
  const nlohmann::ordered_json fields = service::json_of(v1::AgentStatus());
  for (const auto& field : fields.items()) {
    const std::string& name = field.key();
    columns.push_back({name, [name](const AgentRow& r) { return csv_value(r.agent.at(name)); }});
  }
  return columns;
}

std::string agents_csv(const std::vector<v1::StudyStatus>& statuses) {
  std::vector<AgentRow> rows;
  for (const v1::StudyStatus& status : statuses) {
    for (const v1::AgentStatus& agent : status.agent_status()) {
      rows.push_back({&status, service::json_of(agent)});
    }
  }
  return report::to_csv(report::make_table(agent_row_columns(), rows));
}

/// A recommendation or a best trial.
struct Found {
  std::string kind{};
  double value = 0;
  std::optional<double> low{}, high{};
  std::optional<std::uint32_t> agent{}, epoch{}, slot{};
  Params params{};
};

std::vector<Found> found_in(const v1::StudyStatus& status) {
  std::vector<Found> rows;
  if (status.has_recommendation()) {
    const v1::Recommendation& found = status.recommendation();
    rows.push_back({.kind = "recommendation",
                    .value = found.mean(),
                    .low = found.low(),
                    .high = found.high(),
                    .params = found.params()});
  }
  if (status.has_best_trial()) {
    const v1::BestTrial& found = status.best_trial();
    rows.push_back({.kind = "best_trial",
                    .value = found.value(),
                    .agent = found.agent(),
                    .epoch = found.epoch(),
                    .slot = found.slot(),
                    .params = found.params()});
  }
  return rows;
}

std::string best_csv(const v1::StudyStatus& status) {
  const std::vector<Found> rows = found_in(status);
  report::Columns<Found> columns = {{"kind", &Found::kind},   {"value", &Found::value},
                                    {"low", &Found::low},     {"high", &Found::high},
                                    {"agent", &Found::agent}, {"epoch", &Found::epoch},
                                    {"slot", &Found::slot}};
  for (int i = 0; !rows.empty() && i < rows.front().params.size(); ++i) {
    columns.push_back({rows.front().params[i].name(), [i](const Found& found) {
                         return i < found.params.size()
                                    ? report::Value(shown_value(found.params[i]))
                                    : report::Value();
                       }});
  }
  return report::to_csv(report::make_table(columns, rows));
}

report::Markup state_cell(const v1::StudyStatus& status) {
  return report::text(state_text(status) +
                      (is_unserved(status) ? ", not being served: " + unserved_text(status) : ""));
}

report::Columns<v1::StudyStatus> list_columns() {
  using S = v1::StudyStatus;
  return {{"study", &S::study, "study"},
          {"state", [](const S& s) { return service::word_of(s.state()); }, "state", state_cell},
          {"epoch", &S::epoch, "epoch",
           [](const S& s) { return report::text(fmt::format("{} of {}", s.epoch(), s.epochs())); }},
          {"epochs", &S::epochs},
          {"agents", &S::agents, "queries",
           [](const S& s) { return report::text(queries_text(s.agents(), s.horizon())); }},
          {"horizon", &S::horizon},
          {"problem", &S::problem},
          {"served", &S::served},
          {"not_served",
           [](const S& s) {
             return is_unserved(s) ? report::Value(unserved_text(s)) : report::Value();
           }},
          {"epoch_length", &S::epoch_length},
          {"created", &S::created}};
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  auto number = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (number >= 1000 && unit + 1 < kUnits.size()) {
    number /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", number, kUnits[unit]);
}

std::string closing_text(const v1::StudyStatus& status) {
  const std::uint32_t active = service::num_active(status);
  std::string text =
      active == 1 ? "with the only agent" : fmt::format("with all {} agents", active);
  if (status.quorum() >= active) return text;
  return text +
         (status.has_deadline()
              ? fmt::format(", or with {} after {:g} x the expected time", status.quorum(),
                            status.deadline())
              : fmt::format("; the quorum of {} needs a deadline to take effect", status.quorum()));
}

std::string status_table(const v1::StudyStatus& status) {
  if (status.local()) return table_text(study_rows(status));
  const report::Table agents = report::make_table(agent_columns(status), status.agent_status());
  return table_text(study_rows(status)) + "\n" + report::to_text(agents, report::Align::kLeft);
}

std::string statuses_text(const std::vector<v1::StudyStatus>& statuses, Format format) {
  if (format == Format::kCsv) return agents_csv(statuses);
  if (format == Format::kJson) {
    if (statuses.size() == 1) return json_text(service::json_of(statuses.front()));
    auto json = nlohmann::ordered_json::array();
    for (const v1::StudyStatus& status : statuses) json.push_back(service::json_of(status));
    return json_text(json);
  }
  std::string text;
  for (const v1::StudyStatus& status : statuses) {
    if (!text.empty()) text += "\n";
    text += status_table(status);
  }
  return text;
}

std::string list_text(const std::vector<v1::StudyStatus>& statuses, Format format) {
  return formatted(report::make_table(list_columns(), statuses), format);
}

std::string best_text(const v1::StudyStatus& status, Format format) {
  if (format == Format::kJson) {
    return json_text(
        service::json_of(status, {"study", "state", "recommendation", "best_trial", "guarantee"}));
  }
  if (format == Format::kCsv) return best_csv(status);
  Rows rows;
  rows.emplace_back("study",
                    fmt::format("{}, {}", status.study(), service::word_of(status.state())));
  add_found(status, rows);
  add_guarantee(status, rows);
  return table_text(rows);
}

}  // namespace duets::cli
