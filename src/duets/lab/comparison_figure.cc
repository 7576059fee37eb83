#include "duets/lab/comparison_figure.h"

#include <algorithm>
#include <array>

#include "duets/lab/answer_figure.h"
#include "duets/lab/comparison_layers.h"
#include "duets/lab/comparison_text.h"
#include "duets/lab/presets.h"
#include "duets/lab/published.h"

namespace duets::lab {
namespace {

constexpr double kTotalsLogRatio = 25;  // totals further apart than this need a log axis

// What the panels of one figure share.
struct Context {
  ComparisonFigureOptions options;
  std::vector<ComparisonLine> lines;
  Ledger ledger = Ledger::kPaper;  // of the row, and its axis
  bool log = false;
};

// The four of the published study always look the same; others follow.
std::size_t style_index(const std::string& label, std::size_t& next) {
  constexpr std::array<std::string_view, 4> kKnown = {"DUETS", "DisKernelUCB", "ApproxDisKernelUCB",
                                                      "N-KernelUCB"};
  const auto found = std::find(kKnown.begin(), kKnown.end(), label);
  if (found != kKnown.end()) return static_cast<std::size_t>(found - kKnown.begin());
  return next++;
}

std::vector<ComparisonLine> find_lines(const std::vector<const TaskAnalysis*>& tasks) {
  std::vector<ComparisonLine> lines;
  std::size_t next = 4;
  for (const TaskAnalysis* task : tasks) {
    for (const Grid& grid : task->grids) {
      const bool known = std::any_of(lines.begin(), lines.end(), [&](const ComparisonLine& l) {
        return l.label == grid.label;
      });
      if (known) continue;
      report::LineStyle style = report::palette_style(style_index(grid.label, next), true);
      style.width = grid.label == "DUETS" ? 2.4 : 1.9;
      lines.push_back({grid.label, style});
    }
  }
  return lines;
}

// Who is drawn for a line, or nothing.
const ContenderAnalysis* shown(const TaskAnalysis& task, const ComparisonLine& line,
                               const Context& context) {
  for (const Grid& grid : task.grids) {
    if (grid.label != line.label) continue;
    const ContenderAnalysis& best = task.contenders[grid.chosen];
    const bool published = published_final(task.function, line.label) != nullptr;
    const ContenderAnalysis* plotted = context.options.plotted_betas && published
                                           ? task.find(best.algorithm, plotted_beta(best.algorithm))
                                           : nullptr;
    return plotted != nullptr ? plotted : &best;
  }
  return nullptr;
}

const CurveSummary& ledger_curve(const ContenderAnalysis& c, Ledger ledger) {
  return c.communication_curves[static_cast<std::size_t>(ledger)];
}

report::Axis time_axis(const TaskAnalysis& task) {
  double horizon = 1;
  for (const ContenderAnalysis& c : task.contenders)
    horizon = std::max<double>(horizon, c.t.back());
  // Room for the markers at the horizon.
  return {
      .label = "queries per agent, t", .integers = true, .low = 0, .high = horizon + horizon / 40};
}

report::Panel regret_panel(const TaskAnalysis& task, const Context& context) {
  report::Panel panel{.title = function_title(task.function), .x = time_axis(task)};
  panel.y = {.label = "cumulative regret", .from_zero = true};
  std::vector<std::string> betas;
  bool negative = false;
  for (std::size_t i = 0; i < context.lines.size(); ++i) {
    const ComparisonLine& line = context.lines[i];
    const ContenderAnalysis* c = shown(task, line, context);
    betas.push_back(c == nullptr ? "none" : beta_text(*c));
    if (c == nullptr) continue;
    const CurveSummary& curve = c->regret_curve;
    negative = negative || *std::min_element(curve.mean.begin(), curve.mean.end()) < 0;
    add_band(panel, *c, curve, line, false, negative ? -1e300 : 0);
    add_line(panel, *c, curve, line, i, false);
    if (context.options.published_points) add_published(panel, task.function, line, "regret");
  }
  if (!negative) panel.y.low = 0;
  std::string note = "beta, in the order of the legend: ";
  for (std::size_t i = 0; i < betas.size(); ++i) note += (i > 0 ? ", " : "") + betas[i];
  panel.note = note;
  return panel;
}

// The smallest number above 0 that a curve of the panel shows.
double smallest_shown(const TaskAnalysis& task, const Context& context) {
  double smallest = 1e300;
  for (const ComparisonLine& line : context.lines) {
    const ContenderAnalysis* c = shown(task, line, context);
    if (c == nullptr || !c->counts_communication()) continue;
    for (const double m : ledger_curve(*c, context.ledger).mean) {
      if (m > 0) smallest = std::min(smallest, m);
    }
  }
  return smallest;
}

// The legend is that of the first panel, which is about regret.
std::string communication_note(const std::vector<std::string>& silent, bool ask_tell) {
  std::string note = ask_tell ? "dashed: plain ask and tell" : "";
  if (silent.empty()) return note;
  if (ask_tell) note += "; ";
  return note + "0: " + list_text(silent);
}

// The reals grow with every round.
void add_ask_tell(report::Panel& panel, const TaskAnalysis& task, Ledger ledger, double foot) {
  if (!task.ask_tell) return;
  const double total = task.ask_tell->reals(ledger);
  report::Series line{
      .style = {.colour = report::palette::kReference, .dash = "6 4", .width = 1.4}};
  for (std::uint32_t t = 1; t <= task.ask_tell->horizon;
       t += std::max(1U, task.ask_tell->horizon / 50)) {
    const double reals = total * t / task.ask_tell->horizon;
    if (reals < foot) continue;
    line.x.push_back(t);
    line.y.push_back(reals);
  }
  line.x.push_back(task.ask_tell->horizon);
  line.y.push_back(total);
  panel.series.push_back(std::move(line));
}

// Zero has no place on a logarithmic axis.
void add_foot(report::Panel& panel, const ContenderAnalysis& contender, const ComparisonLine& line,
              double foot) {
  const double last = contender.t.back();
  panel.series.push_back({.name = line.label,
                          .x = {0, last / 4, last / 2, 3 * last / 4, last},
                          .y = {foot, foot, foot, foot, foot},
                          .style = line.style});
}

report::Panel communication_panel(const TaskAnalysis& task, const Context& context) {
  const Ledger ledger = context.ledger;
  report::Panel panel{.x = time_axis(task)};
  panel.y = {.label = "reals sent (" + std::string(base::name_of(ledger)) + " ledger)",
             .from_zero = true};
  const double smallest = smallest_shown(task, context);
  const double foot = smallest < 1e300 ? smallest / 2 : 1;
  if (context.log) {
    panel.y.scale = report::Scale::kLog10;
    panel.y.low = foot;
  } else {
    panel.y.low = 0;
  }
  std::vector<std::string> silent;
  for (std::size_t i = 0; i < context.lines.size(); ++i) {
    const ComparisonLine& line = context.lines[i];
    const ContenderAnalysis* c = shown(task, line, context);
    if (c == nullptr || !c->counts_communication()) continue;
    const CurveSummary& curve = ledger_curve(*c, ledger);
    const bool sends = curve.mean.back() > 0;
    if (!sends) silent.push_back(line.label);
    if (sends) add_band(panel, *c, curve, line, true, context.log ? foot : 0);
    if (sends || !context.log) {
      add_line(panel, *c, curve, line, i, true);
    } else {
      add_foot(panel, *c, line, foot);
    }
    if (context.options.published_points && ledger == Ledger::kFigure && (sends || !context.log)) {
      add_published(panel, task.function, line, "communication");
    }
  }
  add_ask_tell(panel, task, ledger, context.log ? foot : 0);
  panel.note = communication_note(silent, task.ask_tell.has_value());
  return panel;
}

// Whether the totals of some function are too far apart for a linear axis.
bool needs_log(const std::vector<const TaskAnalysis*>& tasks, const Context& context) {
  for (const TaskAnalysis* task : tasks) {
    report::Extent totals(report::Scale::kLog10);
    for (const ComparisonLine& line : context.lines) {
      const ContenderAnalysis* c = shown(*task, line, context);
      if (c == nullptr || !c->counts_communication()) continue;
      totals.add(ledger_curve(*c, context.ledger).mean.back());
    }
    if (totals.span() && totals.span()->high > kTotalsLogRatio * totals.span()->low) return true;
  }
  return false;
}

// By number: names of studies may differ in characters that an identifier cannot have.
std::string figure_id(const Analysis& analysis, std::string_view preset) {
  const std::vector<std::string> all = analysis.presets();
  const auto place = std::find(all.begin(), all.end(), preset) - all.begin();
  return "comparison-" + std::to_string(place + 1);
}

std::string figure_head(std::string_view preset, const ComparisonFigureOptions& options,
                        std::size_t runs) {
  const std::string of = runs == 1 ? "one run" : "mean of " + std::to_string(runs) + " runs";
  return std::string(preset) + ": " + of + ", " +
         (options.plotted_betas ? "DUETS at beta 0.2, the others at 5, as published"
                                : "each at the beta chosen on other seeds");
}

}  // namespace

ComparisonFigureOptions figure_options(std::string_view preset) {
  if (preset == "paper" || preset == "wide-grid") return {.published_points = true};
  if (preset == "as-plotted") return {.plotted_betas = true, .published_points = true};
  return {};
}

std::string comparison_figure(const Analysis& analysis, std::string_view preset,
                              const ComparisonFigureOptions& options) {
  const std::vector<const TaskAnalysis*> tasks = analysis.of_preset(preset);
  report::Figure figure{.id = figure_id(analysis, preset),
                        .title = figure_head(preset, options, analysis.seeds.size())};
  figure.description =
      "Top: cumulative regret of all agents over the queries of each agent, a panel for each "
      "function. Bottom: real numbers sent so far. Lines are means of " +
      seeds_text(analysis.seeds) + "; shaded, one standard deviation on either side.";
  if (tasks.empty()) {
    figure.panels = {{.message = "Nothing was run."}};
    return report::draw_figure(figure);
  }
  Context context{options, find_lines(tasks)};
  figure.columns = tasks.size();
  figure.panel_width = tasks.size() == 1 ? 620 : 310;
  figure.panel_height = tasks.size() == 1 ? 340 : 270;
  figure.shared_legend = true;
  for (const TaskAnalysis* task : tasks) figure.panels.push_back(regret_panel(*task, context));
  for (const Ledger ledger : options.ledgers) {
    context.ledger = ledger;
    context.log = needs_log(tasks, context);
    for (const TaskAnalysis* task : tasks) {
      figure.panels.push_back(communication_panel(*task, context));
    }
  }
  return report::draw_figure(figure);
}

std::string comparison_answers(const Analysis& analysis, std::string_view preset) {
  const std::vector<const TaskAnalysis*> tasks = analysis.of_preset(preset);
  const std::vector<ComparisonLine> lines = find_lines(tasks);
  AnswerFigure figure{.id = figure_id(analysis, preset) + "-recommendation",
                      .title = std::string(preset) + ": what is recommended at the end",
                      .panels = {}};
  for (const TaskAnalysis* task : tasks) {
    AnswerPanel panel{.title = function_title(task->function), .lines = {}};
    if (task->ask_tell) panel.ask_tell = task->ask_tell->reals(Ledger::kPaper);
    for (const ComparisonLine& line : lines) {
      const ContenderAnalysis* c = shown(*task, line, {});
      if (c == nullptr) continue;
      report::LineStyle style = line.style;
      style.width = 0;
      // A central learner is told every reward.
      const double reals =
          c->role == Role::kOracle ? panel.ask_tell.value_or(0) : c->communication[0].mean;
      panel.lines.push_back(
          {.name = line.label, .style = style, .answers = {{reals, c->recommendation}}});
    }
    figure.panels.push_back(std::move(panel));
  }
  return draw_answers(figure);
}

}  // namespace duets::lab
