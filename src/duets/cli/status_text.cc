#include "duets/cli/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/cli/agent_numbers.h"
#include "duets/cli/progress_bar.h"
#include "duets/cli/result_tables.h"
#include "duets/cli/status_events.h"
#include "duets/cli/status_json.h"

namespace duets::cli {
namespace {

using service::AgentStatus;
using service::Found;
using service::Presence;
using service::StudyStatus;

std::string point_text(const StudyView& view, const Found& found) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const std::string* choice = choice_of(view, i, found.values[i]);
    parts.push_back(coordinate_name(view, i) + " = " +
                    (choice != nullptr ? *choice : fmt::format("{:.6g}", found.values[i])));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

void add_found(const StudyView& view, Rows& rows) {
  const StudyStatus& status = view.status;
  if (status.recommendation) {
    const Found& found = *status.recommendation;
    rows.emplace_back("recommendation", point_text(view, found));
    rows.emplace_back("  posterior mean", fmt::format("{:.6g}, interval [{:.6g}, {:.6g}]",
                                                      found.value, found.low, found.high));
  } else {
    rows.emplace_back("recommendation", "none yet: no epoch was closed");
  }
  if (status.best_trial) {
    const Found& found = *status.best_trial;
    rows.emplace_back("best trial", point_text(view, found));
    rows.emplace_back("  observed",
                      fmt::format("{:.6g}, with its noise (agent {}, epoch {}, slot {})",
                                  found.value, found.agent, found.epoch, found.slot));
  } else {
    rows.emplace_back("best trial", "none yet: agents tell theirs after the last query");
  }
}

void add_epoch(const StudyStatus& status, Rows& rows) {
  if (is_over(status)) return;
  rows.emplace_back("epoch", fmt::format("{} of {}, {} queries an agent, open for {}", status.epoch,
                                         status.num_epochs, status.epoch_length,
                                         duration_text(status.epoch_seconds)));
  if (status.deadline_seconds) {
    const double left = *status.deadline_seconds - status.epoch_seconds;
    rows.emplace_back(
        "deadline",
        left > 0 ? fmt::format("in {}, with at least {} of {} agents", duration_text(left),
                               status.quorum, status.agents)
                 : fmt::format("over: closes with {} of {} agents", status.quorum, status.agents));
  }
  const std::string waiting = service::waiting_text(status);
  if (!waiting.empty()) rows.emplace_back("waits", waiting);
}

void add_participation(const StudyStatus& status, Rows& rows) {
  for (const service::EpochStatus& epoch : status.epochs) {
    if (epoch.excluded.empty() && epoch.holes == 0 && epoch.why == "complete") continue;
    rows.emplace_back("participation", closed_text(epoch, status.agents));
  }
}

Rows study_rows(const StudyView& view) {
  const StudyStatus& status = view.status;
  Rows rows;
  std::string state = to_string(status.state);
  if (!status.problem.empty()) state += ": " + status.problem;
  rows.emplace_back("study", fmt::format("{}, {}", status.name, state));
  rows.emplace_back("queries", fmt::format("{} agents x {} = {}", status.agents, status.horizon,
                                           std::uint64_t{status.agents} * status.horizon));
  add_epoch(status, rows);
  add_participation(status, rows);
  add_found(view, rows);
  if (!status.guarantee.empty()) rows.emplace_back("guarantee", status.guarantee);
  const service::Traffic& traffic = status.traffic;
  rows.emplace_back(
      "traffic",
      fmt::format("{} calls; up {}, down {}, closing {}; {} reals over the links", traffic.calls,
                  bytes_text(traffic.payload_up_bytes), bytes_text(traffic.payload_down_bytes),
                  bytes_text(traffic.closing_bytes), traffic.reals_links));
  rows.emplace_back("study digest", base::to_hex(status.study_digest));
  rows.emplace_back("run digest", base::to_hex(status.run_digest));
  rows.emplace_back("state digest", base::to_hex(status.state_digest));
  return rows;
}

using Cells = std::array<std::string, 8>;

Cells agent_cells(const StudyStatus& status, const AgentStatus& agent) {
  const bool seen = agent.presence != Presence::kNever;
  return {fmt::format("{}", agent.agent),
          to_string(agent.presence),
          agent.host,
          is_over(status) ? "" : fmt::format("{}/{}", agent.answered, status.epoch_length),
          fmt::format("{}", agent.holes),
          agent.seconds_per_query > 0 ? fmt::format("{:.3g}", agent.seconds_per_query) : "",
          seen ? duration_text(agent.heard_seconds_ago) : "",
          agent.uploaded ? "yes" : ""};
}

std::string agent_table(const StudyStatus& status) {
  std::vector<Cells> lines{
      {"agent", "presence", "host", "answered", "holes", "s/query", "heard ago", "uploaded"}};
  for (const AgentStatus& agent : status.agent_status) lines.push_back(agent_cells(status, agent));
  std::array<std::size_t, 8> widths{};
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
      "query_seconds,heard_seconds_ago,uploaded,epochs_excluded,problem\n";
  for (const StudyView& view : views) {
    const StudyStatus& s = view.status;
    for (const AgentStatus& a : s.agent_status) {
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.name, to_string(s.state),
                      s.epoch, s.epoch_length, a.agent, to_string(a.presence), csv_field(a.host),
                      a.answered, a.holes, a.seconds_per_query, a.query_seconds,
                      a.heard_seconds_ago, a.uploaded, a.epochs_excluded, csv_field(a.problem));
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
      const std::string* choice = choice_of(view, i, found.values[i]);
      cells += "," + (choice != nullptr ? csv_field(*choice) : fmt::format("{}", found.values[i]));
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
    text +=
        format == Format::kCsv
            ? fmt::format("{},{},{},{},{},{}\n", s.name, to_string(s.state), s.epoch, s.num_epochs,
                          s.agents, s.horizon)
            : fmt::format("{:<{}}  {:<8}  epoch {} of {}, {} agents x {} queries\n", s.name, width,
                          to_string(s.state), s.epoch, s.num_epochs, s.agents, s.horizon);
  }
  return text;
}

std::string best_text(const StudyView& view, Format format) {
  if (format == Format::kJson) return best_json(view);
  if (format == Format::kCsv) return best_csv(view);
  Rows rows;
  rows.emplace_back("study", fmt::format("{}, {}", view.status.name, to_string(view.status.state)));
  add_found(view, rows);
  if (!view.status.guarantee.empty()) rows.emplace_back("guarantee", view.status.guarantee);
  return table_text(rows);
}

}  // namespace duets::cli
