#include "duets/lab/answer_figure.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "duets/lab/comparison_text.h"

namespace duets::lab {
namespace {

// Means further apart than this need a logarithmic axis.
constexpr double kAnswersLogRatio = 50;

// Smallest and largest of the positive numbers.
class PositiveRange {
 public:
  void add(double value) {
    if (value <= 0) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  bool any() const { return high_ > 0; }
  double ratio() const { return any() ? high_ / low_ : 1; }
  /// Where 0 stands on a logarithmic axis.
  double foot() const { return any() ? low_ / 2 : 1; }

 private:
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = 0;
};

// The place of a number on an axis that may not have 0.
double drawn_at(double value, bool log, double foot) { return log && value <= 0 ? foot : value; }

double left_end(const AnswerPanel& panel) {
  PositiveRange range;
  for (const AnswerLine& line : panel.lines) {
    for (const Answer& answer : line.answers) range.add(answer.x);
  }
  if (panel.ask_tell) range.add(*panel.ask_tell);
  return range.foot();
}

std::string silent_note(const AnswerPanel& panel) {
  std::vector<std::string> names;
  for (const AnswerLine& line : panel.lines) {
    if (std::ranges::any_of(line.answers, [](const Answer& a) { return a.x <= 0; })) {
      names.push_back(line.name);
    }
  }
  return names.empty() ? "" : "nothing sent, at the left: " + list_text(names);
}

// The interval of a mean, from the foot of the axis on.
void add_interval(report::Panel& panel, const Answer& answer, double x,
                  const report::LineStyle& style, double foot) {
  if (!answer.found.regret.interval) return;
  const auto [low, high] = *answer.found.regret.interval;
  if (high <= foot) return;
  panel.series.push_back({.x = {x, x},
                          .y = {std::max(low, foot), high},
                          .style = {.colour = style.colour, .width = 1.1}});
}

void add_ask_tell(report::Panel& panel, const AnswerPanel& given, double low, double high) {
  if (!given.ask_tell) return;
  panel.series.push_back(
      {.name = "what plain ask and tell sends",
       .x = {*given.ask_tell, *given.ask_tell},
       .y = {low, high},
       .style = {.colour = report::palette::kReference, .dash = "6 4", .width = 1.4}});
}

report::Panel empty_panel(const AnswerFigure& figure, const AnswerPanel& given) {
  report::Panel panel{.x = {.label = figure.x_label, .scale = report::Scale::kLog10}};
  if (given.lines.empty()) panel.message = "Nothing was run.";
  return panel;
}

report::Panel regret_panel(const AnswerFigure& figure, const AnswerPanel& given) {
  report::Panel panel = empty_panel(figure, given);
  panel.title = given.title;
  panel.note = silent_note(given);
  PositiveRange means;
  double top = 0;
  for (const AnswerLine& line : given.lines) {
    for (const Answer& answer : line.answers) {
      means.add(answer.found.regret.mean);
      top = std::max(top, answer.found.regret.interval ? answer.found.regret.interval->high
                                                       : answer.found.regret.mean);
    }
  }
  const bool log = means.ratio() > kAnswersLogRatio;
  const double foot = log ? means.foot() : 0;
  panel.y = {.label = "simple regret", .from_zero = !log};
  if (log) panel.y.scale = report::Scale::kLog10;
  panel.y.low = foot;
  const double left = left_end(given);
  for (const AnswerLine& line : given.lines) {
    std::vector<std::pair<double, double>> places;
    for (const Answer& answer : line.answers) {
      const double x = drawn_at(answer.x, true, left);
      add_interval(panel, answer, x, line.style, foot);
      places.emplace_back(x, drawn_at(answer.found.regret.mean, log, foot));
    }
    panel.series.push_back(report::scatter(line.name, line.style, std::move(places)));
  }
  add_ask_tell(panel, given, foot, std::max(top, foot));
  return panel;
}

report::Panel lost_panel(const AnswerFigure& figure, const AnswerPanel& given) {
  report::Panel panel = empty_panel(figure, given);
  panel.y = {.label = "optimum lost, % of the runs", .low = 0, .high = 100};
  const double left = left_end(given);
  for (const AnswerLine& line : given.lines) {
    std::vector<std::pair<double, double>> places;
    for (const Answer& answer : line.answers) {
      places.emplace_back(drawn_at(answer.x, true, left), 100 * answer.found.lost);
    }
    panel.series.push_back(report::scatter("", line.style, std::move(places)));
  }
  add_ask_tell(panel, given, 0, 100);
  return panel;
}

}  // namespace

std::string draw_answers(const AnswerFigure& given) {
  report::Figure figure{.id = given.id, .title = given.title, .shared_legend = true};
  figure.description =
      "Top: how much worse than the best value the recommended point truly is, mean and 95 % "
      "interval. Bottom: the share of runs where that is more than a tenth of the function's "
      "standard deviation. Horizontal, logarithmic: " +
      given.x_label + ".";
  figure.columns = std::max<std::size_t>(1, given.panels.size());
  figure.panel_width = figure.columns == 1 ? 620 : 310;
  figure.panel_height = figure.columns == 1 ? 340 : 270;
  for (const AnswerPanel& panel : given.panels) {
    figure.panels.push_back(regret_panel(given, panel));
  }
  for (const AnswerPanel& panel : given.panels) figure.panels.push_back(lost_panel(given, panel));
  if (figure.panels.empty()) figure.panels = {{.message = "Nothing was run."}};
  return report::draw_figure(figure);
}

}  // namespace duets::lab
