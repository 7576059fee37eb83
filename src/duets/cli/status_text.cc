#include "duets/cli/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/base/count_text.h"
#include "duets/cli/agent_numbers.h"
#include "duets/cli/progress_bar.h"
#include "duets/cli/result_tables.h"
#include "duets/cli/status_events.h"
#include "duets/cli/status_json.h"
#include "duets/cli/status_progress.h"

namespace duets::cli {
namespace {

using service::AgentStatus;
using service::Found;
using service::Presence;
using service::StudyStatus;

// Stopped by a signal or killed: it is neither over nor under way.
bool is_unserved(const StudyStatus& status) { return !status.served && !is_over(status); }

std::string point_text(const StudyView& view, const Found& found) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    parts.push_back(coordinate_name(view, i) + " = " +
                    domain::to_text(shown_value(view, i, found.values[i]), 6));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string no_best_trial(const StudyStatus& status) {
  if (!is_over(status)) return "none yet: agents tell theirs after the last query";
  if (status.state != service::StudyState::kFinished) {
    return "none: the study ended before agents told theirs";
  }
  const bool all_took_part =
      std::all_of(status.epochs.begin(), status.epochs.end(),
                  [](const service::EpochStatus& epoch) { return epoch.excluded.empty(); });
  return all_took_part ? "none: every query failed" : "none: no agent told one";
}

void add_found(const StudyView& view, Rows& rows) {
  const StudyStatus& status = view.status;
  if (status.recommendation) {
    const Found& found = *status.recommendation;
    rows.emplace_back("recommendation", point_text(view, found));
    rows.emplace_back("  posterior mean", fmt::format("{:.6g}, interval [{:.6g}, {:.6g}]",
                                                      found.value, found.low, found.high));
  } else {
    rows.emplace_back("recommendation",
                      is_over(status) ? "none: nothing was measured in an epoch that was closed"
                                      : "none yet: no epoch was closed");
  }
  if (status.best_trial) {
    const Found& found = *status.best_trial;
    rows.emplace_back("best trial", point_text(view, found));
    rows.emplace_back("  observed",
                      fmt::format("{:.6g}, with its noise (agent {}, epoch {}, slot {})",
                                  found.value, found.agent, found.epoch, found.slot));
  } else {
    rows.emplace_back("best trial", no_best_trial(status));
  }
}

// Its first sentence, in lines that fit a terminal; JSON has all of it.
void add_guarantee(const StudyStatus& status, Rows& rows) {
  constexpr std::size_t kWidth = 62;
  std::string rest = status.guarantee.substr(0, status.guarantee.find(". "));
  if (rest.ends_with('.')) rest.pop_back();
  const char* name = "guarantee";
  while (!rest.empty()) {
    const std::size_t space = rest.size() <= kWidth ? std::string::npos : rest.rfind(' ', kWidth);
    rows.emplace_back(name, rest.substr(0, space));
    rest = space == std::string::npos ? "" : rest.substr(space + 1);
    name = "";
  }
}

std::string digest_text(const base::Digest& digest) {
  return digest == base::Digest{} ? "-" : base::to_hex(digest);
}

// "5 measuring, 2 delivered, 1 retired".
std::string agents_row(const StudyStatus& status) {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const AgentStatus& agent : status.agent_status) {
    const std::string state = agent_state(status, agent);
    const auto found = std::ranges::find(counts, state, &decltype(counts)::value_type::first);
    if (found == counts.end()) {
      counts.emplace_back(state, 1);
    } else {
      ++found->second;
    }
  }
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_epoch(const StudyStatus& status, Rows& rows) {
  if (is_over(status)) return;
  rows.emplace_back("progress", progress_text(status));
  rows.emplace_back("epoch", fmt::format("{} an agent, open for {}",
                                         count_text(status.epoch_length, "query", "queries"),
                                         duration_text(status.epoch_seconds)));
  rows.emplace_back("agents", agents_row(status));
  rows.emplace_back("epochs close", closing_text(status));
  if (status.deadline_seconds) {
    const double left = *status.deadline_seconds - status.epoch_seconds;
    rows.emplace_back(
        "deadline",
        left > 0 ? fmt::format("in {}, with at least {} of {}", duration_text(left), status.quorum,
                               count_text(num_active(status), "agent", "agents"))
                 : fmt::format("over: closes with {} of {}", status.quorum,
                               count_text(num_active(status), "agent", "agents")));
  }
  if (!status.served) return;
  const std::string waiting = service::waiting_text(status);
  if (!waiting.empty()) rows.emplace_back("waits", waiting);
}

void add_participation(const StudyStatus& status, Rows& rows) {
  for (const service::EpochStatus& epoch : status.epochs) {
    if (epoch.excluded.empty() && epoch.holes == 0 && epoch.why == "complete") continue;
    rows.emplace_back("participation", closed_text(epoch, status.agents));
  }
  std::uint64_t holes = 0;
  for (const service::EpochStatus& epoch : status.epochs) holes += epoch.holes;
  if (holes > 0) {
    rows.emplace_back("holes", count_text(holes, "query", "queries") + " without an answer");
  }
}

Rows study_rows(const StudyView& view) {
  const StudyStatus& status = view.status;
  Rows rows;
  std::string state(base::name_of(status.state));
  if (!status.problem.empty()) state += ": " + status.problem;
  rows.emplace_back("study", fmt::format("{}, {}", status.name, state));
  if (is_unserved(status)) {
    rows.emplace_back("not being served",
                      "no coordinator runs on this storage; 'duets serve' goes on with it");
  }
  rows.emplace_back("queries",
                    fmt::format("{} x {} = {}", count_text(status.agents, "agent", "agents"),
                                status.horizon, std::uint64_t{status.agents} * status.horizon));
  add_epoch(status, rows);
  add_participation(status, rows);
  add_found(view, rows);
  add_guarantee(status, rows);
  const service::Traffic& traffic = status.traffic;
  rows.emplace_back(
      "traffic",
      fmt::format("{}; up {}, down {}, closing {}; {} over the links",
                  count_text(traffic.calls, "call", "calls"), bytes_text(traffic.payload_up_bytes),
                  bytes_text(traffic.payload_down_bytes), bytes_text(traffic.closing_bytes),
                  count_text(traffic.reals_links, "real", "reals")));
  rows.emplace_back("study digest", base::to_hex(status.study_digest));
  rows.emplace_back("run digest", digest_text(status.run_digest));
  rows.emplace_back("state digest", digest_text(status.state_digest));
  return rows;
}

using Cells = std::vector<std::string>;

Cells agent_head(const StudyStatus& status) {
  if (is_over(status)) return {"agent", "state", "host", "s/query", "epochs without it"};
  return {"agent", "state", "host", "answered", "holes", "s/query", "heard ago"};
}

// What an agent says of the open epoch means nothing when none is open.
Cells agent_cells(const StudyStatus& status, const AgentStatus& agent) {
  const std::string number = fmt::format("{}", agent.agent);
  const std::string pace =
      agent.seconds_per_query > 0 ? fmt::format("{:.3g}", agent.seconds_per_query) : "";
  if (is_over(status)) {
    return {number, agent_state(status, agent), agent.host, pace,
            fmt::format("{}", agent.epochs_excluded)};
  }
  const bool seen = agent.presence != Presence::kNever;
  return {number,
          agent_state(status, agent),
          agent.host,
          fmt::format("{}/{}", answered_of(status, agent), status.epoch_length),
          fmt::format("{}", agent.holes),
          pace,
          seen ? duration_text(agent.heard_seconds_ago) : ""};
}

std::string agent_table(const StudyStatus& status) {
  std::vector<Cells> lines{agent_head(status)};
  for (const AgentStatus& agent : status.agent_status) lines.push_back(agent_cells(status, agent));
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

std::string agents_csv(const std::vector<StudyView>& views) {
  std::string text =
      "study,state,epoch,epoch_length,agent,presence,host,answered,holes,seconds_per_query,"
      "query_seconds,heard_seconds_ago,uploaded,epochs_excluded,problem,agent_state\n";
  for (const StudyView& view : views) {
    const StudyStatus& s = view.status;
    for (const AgentStatus& a : s.agent_status) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.name,
                          base::name_of(s.state), s.epoch, s.epoch_length, a.agent,
                          base::name_of(a.presence), csv_field(a.host), answered_of(s, a), a.holes,
                          a.seconds_per_query, a.query_seconds, a.heard_seconds_ago, a.uploaded,
                          a.epochs_excluded, csv_field(a.problem), agent_state(s, a));
    }
  }
  return text;
}

std::string best_csv(const StudyView& view) {
  std::string text = "kind,value,low,high,agent,epoch,slot";
  for (std::size_t i = 0; i < view.status.coordinate_names.size(); ++i) {
    text += "," + csv_field(coordinate_name(view, i));
  }
  text += "\n";
  const auto point = [&](const Found& found) {
    std::string cells;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      cells += "," + csv_field(domain::to_text(shown_value(view, i, found.values[i])));
    }
    return cells + "\n";
  };
  if (const auto& found = view.status.recommendation) {
    text += fmt::format("recommendation,{},{},{},,,", found->value, found->low, found->high) +
            point(*found);
  }
  if (const auto& found = view.status.best_trial) {
    text += fmt::format("best_trial,{},,,{},{},{}", found->value, found->agent, found->epoch,
                        found->slot) +
            point(*found);
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

std::string closing_text(const StudyStatus& status) {
  const std::uint32_t active = num_active(status);
  std::string text = active == 1 ? "with the one agent" : fmt::format("with all {} agents", active);
  if (status.quorum >= active) return text;
  return text +
         (status.deadline > 0
              ? fmt::format(", or with {} after {:g} x the time it should take", status.quorum,
                            status.deadline)
              : fmt::format("; the quorum of {} counts once there is a deadline", status.quorum));
}

std::string status_table(const StudyView& view) {
  return table_text(study_rows(view)) + "\n" + agent_table(view.status);
}

std::string statuses_text(const std::vector<StudyView>& views, Format format) {
  if (format == Format::kCsv) return agents_csv(views);
  if (format == Format::kJson) return statuses_json(views);
  std::string text;
  for (const StudyView& view : views) {
    if (!text.empty()) text += "\n";
    text += status_table(view);
  }
  return text;
}

std::string list_text(const std::vector<StudyStatus>& statuses, Format format) {
  if (format == Format::kJson) return list_json(statuses);
  std::string text = format == Format::kCsv ? "study,state,epoch,epochs,agents,horizon\n" : "";
  std::size_t width = 5;
  for (const StudyStatus& s : statuses) width = std::max(width, s.name.size());
  for (const StudyStatus& s : statuses) {
    text += format == Format::kCsv
                ? fmt::format("{},{},{},{},{},{}\n", s.name, base::name_of(s.state), s.epoch,
                              s.num_epochs, s.agents, s.horizon)
                : fmt::format("{:<{}}  {:<8}  epoch {} of {}, {} x {}{}\n", s.name, width,
                              base::name_of(s.state), s.epoch, s.num_epochs,
                              count_text(s.agents, "agent", "agents"),
                              count_text(s.horizon, "query", "queries"),
                              is_unserved(s) ? ", not being served" : "");
  }
  return text;
}

std::string best_text(const StudyView& view, Format format) {
  if (format == Format::kJson) return best_json(view);
  if (format == Format::kCsv) return best_csv(view);
  Rows rows;
  rows.emplace_back("study",
                    fmt::format("{}, {}", view.status.name, base::name_of(view.status.state)));
  add_found(view, rows);
  add_guarantee(view.status, rows);
  return table_text(rows);
}

}  // namespace duets::cli
