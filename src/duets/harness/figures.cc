#include "duets/harness/figures.h"

#include <algorithm>
#include <limits>

#include "duets/harness/thinning.h"
#include "duets/report/chart_number.h"

namespace duets::harness {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();
constexpr double kLogRatio = 100;  // ledgers further apart than this need a log axis

report::Axis time_axis(const RunResult& result) {
  return {.label = "queries per agent, t",
          .integers = true,
          .low = 0,
          .high = std::max<double>(1, result.horizon)};
}

report::Panel cumulative_panel(const RunResult& result) {
  report::Panel panel{.title = "Cumulative regret of all agents", .x = time_axis(result)};
  panel.y = {.label = "summed regret (objective's units)", .from_zero = true};
  panel.stretches = epoch_stretches(result);
  report::Series curve{.x = {0}, .y = {0}, .style = report::palette_style(1, false)};
  curve.style.dash.clear();
  curve.style.width = 2.2;
  for (const std::size_t t : shown_times(result.cumulative_regret.size(), result.lengths)) {
    curve.x.push_back(static_cast<double>(t));
    curve.y.push_back(result.cumulative_regret[t - 1]);
  }
  panel.series.push_back(std::move(curve));
  return panel;
}

// Mean regret of one query in each epoch, as steps.
report::Series epoch_means(const RunResult& result) {
  report::Series steps{
      .name = "mean of the epoch", .style = report::palette_style(2, false), .steps = true};
  steps.style.dash.clear();
  steps.style.width = 2.2;
  const std::vector<double>& sum = result.cumulative_regret;
  for (const report::Stretch& s : epoch_stretches(result)) {
    const auto from = static_cast<std::size_t>(s.from);
    const auto to = static_cast<std::size_t>(s.to);
    if (to > sum.size() || to == from) break;
    const double before = from == 0 ? 0 : sum[from - 1];
    const double mean = (sum[to - 1] - before) / (s.to - s.from) / std::max(1u, result.agents);
    // A gap before each step: no line where nothing was measured.
    if (!steps.x.empty()) {
      steps.x.push_back(s.from);
      steps.y.push_back(kGap);
    }
    steps.x.insert(steps.x.end(), {s.from, s.to});
    steps.y.insert(steps.y.end(), {mean, mean});
  }
  return steps;
}

report::Panel per_query_panel(const RunResult& result) {
  report::Panel panel{.title = "Regret of one query", .x = time_axis(result)};
  panel.y = {.label = "mean regret (objective's units)", .from_zero = true};
  panel.stretches = epoch_stretches(result);
  report::Series running{.name = "mean of all queries so far",
                         .style = report::palette_style(1, false)};
  for (const std::size_t t : shown_times(result.cumulative_regret.size(), result.lengths)) {
    running.x.push_back(static_cast<double>(t));
    running.y.push_back(result.cumulative_regret[t - 1] / static_cast<double>(t) /
                        std::max(1u, result.agents));
  }
  panel.series = {epoch_means(result), std::move(running)};
  return panel;
}

using Ledger = double (*)(const CommunicationPoint&);

report::Series ledger_curve(const RunResult& result, const std::string& name, std::size_t index,
                            Ledger ledger) {
  report::Series curve{.name = name,
                       .x = {0},
                       .y = {0},
                       .style = report::palette_style(index, false),
                       .steps = true};
  curve.style.width = 2;
  for (const CommunicationPoint& p : result.communication) {
    curve.x.push_back(p.t);
    curve.y.push_back(ledger(p));
  }
  curve.x.push_back(std::max<double>(curve.x.back(), result.horizon));
  curve.y.push_back(curve.y.back());
  return curve;
}

std::string with_total(const std::string& name, double total) {
  return name + ": " + report::plain_number(total);
}

// True when the totals are too far apart for one linear axis.
bool needs_log(const std::vector<report::Series>& curves) {
  report::Extent totals(report::Scale::kLog10);
  for (const report::Series& s : curves) totals.add(s.y.back());
  return totals.span() && totals.span()->high > kLogRatio * totals.span()->low;
}

// From the first round on: zero has no place on a logarithmic axis.
report::Series ask_tell_line(const RunResult& result) {
  constexpr std::uint32_t kPlaces = 50;
  const std::uint32_t count = std::min(result.horizon, kPlaces);
  report::Series line{
      .name = with_total("plain ask and tell (every link)", ask_tell_reals(result, result.horizon)),
      .style = {.colour = report::palette::kReference, .dash = "6 4", .width = 1.4}};
  for (std::uint32_t i = 1; i <= count; ++i) {
    line.x.push_back(static_cast<double>(result.horizon) * i / count);
    line.y.push_back(ask_tell_reals(result, line.x.back()));
  }
  return line;
}

report::Panel ledger_panel(const RunResult& result) {
  const CommunicationPoint& last = result.communication.back();
  report::Panel panel{.title = "Real numbers sent, by three ledgers", .x = time_axis(result)};
  panel.y = {.label = "real numbers sent so far", .from_zero = true};
  panel.stretches = epoch_stretches(result);
  panel.series = {
      ledger_curve(result, with_total("links (every link)", last.links), 1,
                   [](const CommunicationPoint& p) { return p.links; }),
      ledger_curve(result, with_total("figure (uplink of all)", last.figure), 2,
                   [](const CommunicationPoint& p) { return p.figure; }),
      ledger_curve(result, with_total("paper (mean uplink + broadcast once)", last.paper), 0,
                   [](const CommunicationPoint& p) { return p.paper; }),
      ask_tell_line(result)};
  if (needs_log(panel.series)) panel.y.scale = report::Scale::kLog10;
  panel.note = "Closing messages, in none of the curves: " + report::plain_number(last.closing) +
               " real numbers over all links.";
  return panel;
}

report::Panel bytes_panel(const RunResult& result) {
  report::Panel panel{.title = "Bytes on all links", .x = time_axis(result)};
  panel.y = {.label = "kilobytes sent so far", .from_zero = true};
  panel.stretches = epoch_stretches(result);
  panel.series = {ledger_curve(result, "", 3, [](const CommunicationPoint& p) {
    return static_cast<double>(p.bytes) / 1000;
  })};
  panel.series.front().style.dash.clear();
  panel.note = "As encoded, closing messages included; 1 kB is 1000 bytes. Total: " +
               report::grouped(result.communication.back().bytes) + " bytes.";
  return panel;
}

}  // namespace

std::string figure_title(const RunResult& result, const std::string& what) {
  return result.study_name.empty() ? what : result.study_name + ": " + what;
}

std::string draw_pair(const RunResult& result, report::Figure figure, bool has_data,
                      const char* nothing, MakePanel left, MakePanel right) {
  figure.title = figure_title(result, figure.title);
  figure.columns = 2;
  if (has_data) {
    figure.panels = {left(result), right(result)};
  } else {
    figure.panels = {{.message = nothing}};
  }
  return report::draw_figure(figure);
}

std::vector<report::Stretch> epoch_stretches(const RunResult& result) {
  std::vector<report::Stretch> out;
  double from = 0;
  for (std::size_t j = 0; j < result.lengths.size() && from < result.horizon; ++j) {
    const double to = std::min<double>(from + result.lengths[j], result.horizon);
    const std::string number = std::to_string(j + 1);
    out.push_back({from, to, "epoch " + number, number});
    from = to;
  }
  return out;
}

std::string regret_figure(const RunResult& result) {
  constexpr const char* kDescription =
      "Left: regret summed over all agents against the number of queries made by each agent. "
      "Right: mean regret of one query, running and within each epoch.";
  return draw_pair(result, {.id = "duets-regret", .title = "regret", .description = kDescription},
                   !result.cumulative_regret.empty(),
                   "No regret: the optimum of this objective is not known.", cumulative_panel,
                   per_query_panel);
}

std::string communication_figure(const RunResult& result) {
  constexpr const char* kDescription =
      "Left: real numbers sent so far in three ledgers against the number of queries made by each "
      "agent, and what plain ask and tell would have sent. Right: bytes sent so far over all "
      "links.";
  return draw_pair(
      result, {.id = "duets-communication", .title = "communication", .description = kDescription},
      !result.communication.empty(), "Nothing was sent.", ledger_panel, bytes_panel);
}

std::vector<report::NamedFigure> all_figures(const RunResult& result) {
  std::vector<report::NamedFigure> out;
  if (!result.cumulative_regret.empty()) out.emplace_back("regret.svg", regret_figure(result));
  if (!result.communication.empty()) {
    out.emplace_back("communication.svg", communication_figure(result));
  }
  if (!result.epochs.empty()) {
    out.emplace_back("region.svg", region_figure(result));
    out.emplace_back("inducing.svg", inducing_figure(result));
  }
  if (has_map(result)) out.emplace_back("map.svg", map_figure(result));
  return out;
}

}  // namespace duets::harness
