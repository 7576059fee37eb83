#include "duets/lab/scaling_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/lab/answer_figure.h"
#include "duets/report/chart.h"

namespace duets::lab {
namespace {

report::Series mean_curve(const std::vector<const ScalingSummary*>& sizes, Growth growth,
                          const SlopeFit* fit, std::size_t index) {
  report::Series curve{.style = report::palette_style(index, true)};
  curve.name = sizes.front()->point.function;
  if (fit != nullptr) curve.name += fmt::format(", slope {:.2f}", fit->slope);
  for (const ScalingSummary* size : sizes) {
    curve.x.push_back(size->yardstick(growth));
    curve.y.push_back(size->summary(growth).mean);
  }
  return curve;
}

// Empty without intervals; a band that reaches 0 has no logarithm.
report::Band interval_band(const std::vector<const ScalingSummary*>& sizes, Growth growth,
                           std::size_t index) {
  report::Band band{.colour = report::line_colour(index), .opacity = 0.18};
  for (const ScalingSummary* size : sizes) {
    const auto& interval = size->summary(growth).interval;
    if (!interval || interval->low <= 0) return {};
    band.x.push_back(size->yardstick(growth));
    band.low.push_back(interval->low);
    band.high.push_back(interval->high);
  }
  return band;
}

// A line of slope 1 above all curves, over the whole width.
report::Series unit_slope(const std::vector<report::Series>& curves) {
  double low = curves.front().x.front();
  double high = low;
  double ratio = 0;
  for (const report::Series& curve : curves) {
    low = std::min(low, curve.x.front());
    high = std::max(high, curve.x.back());
    for (std::size_t i = 0; i < curve.x.size(); ++i) {
      ratio = std::max(ratio, curve.y[i] / curve.x[i]);
    }
  }
  ratio *= 1.15;
  return {.name = "slope 1",
          .x = {low, high},
          .y = {ratio * low, ratio * high},
          .style = {.colour = report::palette::kReference, .dash = "6 4", .width = 1.4}};
}

// What plain ask and tell sends at each size; N, T and d are those of every function.
void add_ask_tell(report::Panel& panel, const ScalingAnalysis& analysis, Sweep sweep) {
  report::Series line{
      .name = "plain ask and tell",
      .style = {.colour = report::palette::kReference, .dash = "2 3", .width = 1.4}};
  for (const std::string& function : analysis.functions) {
    for (const ScalingSummary* size : analysis.sweep(function, sweep)) {
      line.x.push_back(size->yardstick(Growth::kCommunication));
      line.y.push_back(scaling_ask_tell(size->point).reals(Ledger::kPaper));
    }
    panel.series.push_back(line);
    line = {.style = line.style};
  }
}

report::Panel growth_panel(const ScalingAnalysis& analysis, Sweep sweep, Growth growth) {
  const bool regret = growth == Growth::kRegret;
  report::Panel panel;
  panel.title =
      fmt::format("{}, {}", regret ? "Regret" : "Communication",
                  sweep == Sweep::kHorizon ? fmt::format("N = {}, T grows", kScalingAgents)
                                           : fmt::format("T = {}, N grows", kScalingHorizon));
  panel.x = {.label = regret ? "\xE2\x88\x9A(N T \xCE\xB3)" : "\xCE\xB3, information gain (nats)",
             .scale = report::Scale::kLog10};
  panel.y = {.label = regret ? "total regret, all agents" : "reals sent (paper ledger)",
             .scale = report::Scale::kLog10};
  for (std::size_t i = 0; i < analysis.functions.size(); ++i) {
    const auto sizes = analysis.sweep(analysis.functions[i], sweep);
    if (sizes.empty()) continue;
    panel.series.push_back(
        mean_curve(sizes, growth, analysis.fit(analysis.functions[i], sweep, growth, false), i));
    report::Band band = interval_band(sizes, growth, i);
    if (!band.x.empty()) panel.bands.push_back(std::move(band));
  }
  if (panel.series.empty()) {
    panel.message = "Nothing was run.";
    return panel;
  }
  report::Series reference = unit_slope(panel.series);
  if (!regret) add_ask_tell(panel, analysis, sweep);
  panel.series.push_back(std::move(reference));
  return panel;
}

// The horizons of one contender, in order; nothing where nothing is sent.
template <class Row>
void add_place(report::Series& line, const Row& row) {
  if (row.communication[0].mean <= 0 || row.regret.mean <= 0) return;
  line.x.push_back(row.communication[0].mean);
  line.y.push_back(row.regret.mean);
}

std::string own_name() { return fmt::format("DUETS, beta = {}", kScalingBeta); }

// The same look in every panel, whoever else is in it.
report::LineStyle style_of(const ScalingAnalysis& analysis, const std::string& name) {
  std::vector<std::string> names{own_name()};
  for (const ScalingRival& rival : analysis.rivals) {
    if (std::ranges::find(names, rival.name) == names.end()) names.push_back(rival.name);
  }
  const auto place = std::ranges::find(names, name) - names.begin();
  return report::palette_style(static_cast<std::size_t>(place), true);
}

// At the longest horizon.
void add_longest_ask_tell(report::Panel& panel, const ScalingAnalysis& analysis,
                          const std::string& function) {
  const ScalingSummary& longest = *analysis.sweep(function, Sweep::kHorizon).back();
  const double reals = scaling_ask_tell(longest.point).reals(Ledger::kPaper);
  report::Extent regret(report::Scale::kLog10);
  for (const report::Series& series : panel.series) regret.add(series.y);
  panel.series.push_back(
      {.name = fmt::format("plain ask and tell at T = {}", longest.point.horizon),
       .x = {reals, reals},
       .y = {regret.span()->low, regret.span()->high},
       .style = {.colour = report::palette::kReference, .dash = "6 4", .width = 1.4}});
}

report::Panel frontier_panel(const ScalingAnalysis& analysis, const std::string& function) {
  report::Panel panel{.title = fmt::format("{}, N = {}", function, kScalingAgents)};
  panel.x = {.label = "reals sent (paper ledger)", .scale = report::Scale::kLog10};
  panel.y = {.label = "total regret, all agents", .scale = report::Scale::kLog10};
  const auto line = [&](const std::string& name) -> report::Series& {
    for (report::Series& series : panel.series) {
      if (series.name == name) return series;
    }
    panel.series.push_back({.name = name, .style = style_of(analysis, name)});
    return panel.series.back();
  };
  for (const ScalingSummary* size : analysis.sweep(function, Sweep::kHorizon)) {
    add_place(line(own_name()), *size);
  }
  for (const ScalingRival& rival : analysis.rivals) {
    const bool here = rival.point.function == function && rival.point.in(Sweep::kHorizon);
    if (here && rival.communication[0].mean > 0) add_place(line(rival.name), rival);
    if (here && rival.name == "uniform") {
      panel.note = fmt::format("uniform, which sends nothing: regret {:.0f} at T = {}",
                               rival.regret.mean, rival.point.horizon);
    }
  }
  std::erase_if(panel.series, [](const report::Series& series) { return series.x.empty(); });
  if (panel.series.empty()) {
    panel.message = "Nothing was run.";
    return panel;
  }
  add_longest_ask_tell(panel, analysis, function);
  return panel;
}

// Everybody of one function over T, in order of first appearance.
AnswerPanel answers_of(const ScalingAnalysis& analysis, const std::string& function) {
  AnswerPanel panel{.title = fmt::format("{}, N = {}", function, kScalingAgents), .lines = {}};
  const auto add = [&](const std::string& name, double horizon, const Recommendations& found) {
    auto line =
        std::ranges::find_if(panel.lines, [&](const AnswerLine& l) { return l.name == name; });
    if (line == panel.lines.end()) {
      panel.lines.push_back({.name = name, .style = style_of(analysis, name), .answers = {}});
      line = panel.lines.end() - 1;
    }
    line->answers.push_back({horizon, found});
  };
  for (const ScalingSummary* size : analysis.sweep(function, Sweep::kHorizon)) {
    add(own_name(), size->point.horizon, size->recommendation);
  }
  for (const ScalingRival& rival : analysis.rivals) {
    if (rival.point.function != function || !rival.point.in(Sweep::kHorizon)) continue;
    add(rival.name, rival.point.horizon, rival.recommendation);
  }
  return panel;
}

}  // namespace

std::string frontier_figure(const ScalingAnalysis& analysis) {
  report::Figure figure{.id = "frontier",
                        .title = "Regret against communication over T",
                        .columns = 1,
                        .shared_legend = true};
  figure.description =
      "A panel for each function, both axes logarithmic: total regret against real numbers sent. "
      "Each line is an algorithm, each mark a horizon. Lower and further left is better.";
  for (const std::string& function : analysis.functions) {
    figure.panels.push_back(frontier_panel(analysis, function));
  }
  return report::draw_figure(figure);
}

std::string scaling_answers(const ScalingAnalysis& analysis) {
  AnswerFigure figure{.id = "scaling-recommendation",
                      .title = "What is recommended at the end, over the horizons",
                      .x_label = "queries per agent, T",
                      .panels = {}};
  for (const std::string& function : analysis.functions) {
    figure.panels.push_back(answers_of(analysis, function));
  }
  return draw_answers(figure);
}

std::string scaling_figure(const ScalingAnalysis& analysis) {
  report::Figure figure{
      .id = "scaling", .title = "DUETS: growth against the theorem's yardsticks", .columns = 2};
  figure.description =
      "Four panels with logarithmic axes. Above, total regret against the square root of N T "
      "gamma; below, real numbers sent against gamma. Left, the horizon grows; right, the number "
      "of agents. A dashed line has slope 1.";
  for (const Growth growth : kGrowths) {
    for (const Sweep sweep : {Sweep::kHorizon, Sweep::kAgents}) {
      figure.panels.push_back(growth_panel(analysis, sweep, growth));
    }
  }
  return report::draw_figure(figure);
}

}  // namespace duets::lab
