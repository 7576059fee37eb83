#include "duets/cli/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/base/count_text.h"
#include "duets/cli/agent_numbers.h"
#include "duets/cli/json_text.h"
#include "duets/cli/progress_bar.h"
#include "duets/cli/status_events.h"
#include "duets/domain/shown_value.h"
#include "duets/report/csv.h"
#include "duets/service/message_json.h"
#include "duets/service/study_status.h"
#include "duets/service/wire.h"
#include "duets/v1/duets.pb.h"

namespace duets::cli {
namespace {

using Params = google::protobuf::RepeatedPtrField<v1::Param>;

// Stopped by a signal or killed: neither over nor running.
bool is_unserved(const v1::StudyStatus& status) { return !status.served() && !is_over(status); }

domain::ShownValue shown_value(const v1::Param& param) {
  if (param.has_integer()) return param.integer();
  if (param.has_choice()) return param.choice();
  return param.number();
}

std::string point_text(const Params& params) {
  std::vector<std::string> parts;
  for (const v1::Param& param : params) {
    parts.push_back(param.name() + " = " + domain::to_text(shown_value(param), 6));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
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
    const v1::Recommendation& found = status.recommendation();
    rows.emplace_back("recommendation", point_text(found.params()));
    rows.emplace_back("  posterior mean", fmt::format("{:.6g}, interval [{:.6g}, {:.6g}]",
                                                      found.mean(), found.low(), found.high()));
  } else {
    rows.emplace_back("recommendation", is_over(status) ? "none: no closed epoch has measurements"
                                                        : "none yet: no epoch was closed");
  }
  if (status.has_best_trial()) {
    const v1::BestTrial& found = status.best_trial();
    rows.emplace_back("best trial", point_text(found.params()));
    rows.emplace_back("  observed",
                      fmt::format("{:.6g}, with its noise (agent {}, epoch {}, slot {})",
                                  found.value(), found.agent(), found.epoch(), found.slot()));
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
  if (!waiting.empty()) rows.emplace_back("waits", waiting);
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
  std::string state = service::word_of(status.state());
  if (!status.problem().empty()) state += ": " + status.problem();
  rows.emplace_back("study", fmt::format("{}, {}", status.study(), state));
  if (is_unserved(status)) {
    rows.emplace_back("not being served",
                      "no coordinator runs on this storage; continue with 'duets serve'");
  }
  rows.emplace_back(
      "queries", fmt::format("{} x {} = {}", count_text(status.agents(), "agent", "agents"),
                             status.horizon(), std::uint64_t{status.agents()} * status.horizon()));
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

using Cells = std::vector<std::string>;

Cells agent_head(const v1::StudyStatus& status) {
  if (is_over(status)) return {"agent", "state", "host", "s/query", "epochs without it"};
  return {"agent", "state", "host", "answered", "holes", "s/query", "heard ago"};
}

// An agent's numbers for the open epoch mean nothing when none is open.
Cells agent_cells(const v1::StudyStatus& status, const v1::AgentStatus& agent) {
  const std::string number = fmt::format("{}", agent.agent());
  const std::string pace =
      agent.seconds_per_query() > 0 ? fmt::format("{:.3g}", agent.seconds_per_query()) : "";
  if (is_over(status)) {
    return {number, agent.state(), agent.host(), pace, fmt::format("{}", agent.epochs_excluded())};
  }
  const bool seen = agent.presence() != v1::PRESENCE_NEVER_SEEN;
  return {number,
          agent.state(),
          agent.host(),
          fmt::format("{}/{}", agent.answered(), status.epoch_length()),
          fmt::format("{}", agent.holes()),
          pace,
          seen ? duration_text(agent.heard_seconds_ago()) : ""};
}

std::string agent_table(const v1::StudyStatus& status) {
  std::vector<Cells> lines{agent_head(status)};
  for (const v1::AgentStatus& agent : status.agent_status()) {
    lines.push_back(agent_cells(status, agent));
  }
  std::vector<std::size_t> widths(lines.front().size());
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string text;
  for (const Cells& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += fmt::format("{:<{}}  ", cells[i], widths[i]);
    }
    text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string csv_cell(const nlohmann::ordered_json& value) {
  if (value.is_string()) return report::csv_field(value.get<std::string>());
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

// In addition to the study, every field of an agent under its name.
std::string agents_csv(const std::vector<v1::StudyStatus>& statuses) {
  std::string text = "study,study_state,epoch,epoch_length";
  const nlohmann::ordered_json columns = service::json_of(v1::AgentStatus());
  for (const auto& [name, value] : columns.items()) text += "," + name;
  text += "\n";
  for (const v1::StudyStatus& s : statuses) {
    for (const v1::AgentStatus& agent : s.agent_status()) {
      text += fmt::format("{},{},{},{}", s.study(), service::word_of(s.state()), s.epoch(),
                          s.epoch_length());
      const nlohmann::ordered_json row = service::json_of(agent);
      for (const nlohmann::ordered_json& value : row) text += "," + csv_cell(value);
      text += "\n";
    }
  }
  return text;
}

std::string best_csv(const v1::StudyStatus& status) {
  const Params& columns =
      status.has_recommendation() ? status.recommendation().params() : status.best_trial().params();
  std::string text = "kind,value,low,high,agent,epoch,slot";
  for (const v1::Param& param : columns) text += "," + report::csv_field(param.name());
  text += "\n";
  const auto point = [&](const Params& params) {
    std::string cells;
    for (const v1::Param& param : params) {
      cells += "," + report::csv_field(domain::to_text(shown_value(param)));
    }
    return cells + "\n";
  };
  if (status.has_recommendation()) {
    const v1::Recommendation& found = status.recommendation();
    text += fmt::format("recommendation,{},{},{},,,", found.mean(), found.low(), found.high()) +
            point(found.params());
  }
  if (status.has_best_trial()) {
    const v1::BestTrial& found = status.best_trial();
    text += fmt::format("best_trial,{},,,{},{},{}", found.value(), found.agent(), found.epoch(),
                        found.slot()) +
            point(found.params());
  }
  return text;
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
  return table_text(study_rows(status)) + "\n" + agent_table(status);
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
  if (format == Format::kJson) {
    auto json = nlohmann::ordered_json::array();
    for (const v1::StudyStatus& status : statuses) {
      json.push_back(
          service::json_of(status, {"study", "state", "problem", "served", "agents", "horizon",
                                    "epoch", "epochs", "epoch_length", "created"}));
    }
    return json_text(json);
  }
  std::string text = format == Format::kCsv ? "study,state,epoch,epochs,agents,horizon\n" : "";
  std::size_t width = 5;
  for (const v1::StudyStatus& s : statuses) width = std::max(width, s.study().size());
  for (const v1::StudyStatus& s : statuses) {
    const std::string state = service::word_of(s.state());
    text += format == Format::kCsv
                ? fmt::format("{},{},{},{},{},{}\n", s.study(), state, s.epoch(), s.epochs(),
                              s.agents(), s.horizon())
                : fmt::format("{:<{}}  {:<8}  epoch {} of {}, {} x {}{}\n", s.study(), width, state,
                              s.epoch(), s.epochs(), count_text(s.agents(), "agent", "agents"),
                              count_text(s.horizon(), "query", "queries"),
                              is_unserved(s) ? ", not being served" : "");
  }
  return text;
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
