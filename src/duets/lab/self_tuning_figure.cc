#include "duets/lab/self_tuning_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/lab/self_tuning_findings.h"
#include "duets/report/chart.h"

namespace duets::lab {
namespace {

// Ratio of reals, ratio of the measure: where something was sent and no mean is 0.
void add_place(const Ratios& ratios, Measure measure,
               std::vector<std::pair<double, double>>& places) {
  const auto& value = ratios[static_cast<std::size_t>(measure)];
  const auto& reals = ratios[static_cast<std::size_t>(Measure::kPaper)];
  if (value && reals) places.emplace_back(reals->value, value->value);
}

// The same look in every panel, whichever of them it has. A peer comes after all of DUETS.
report::LineStyle style_of(const std::string& name) {
  using report::Marker;
  constexpr std::array kMarkers{Marker::kCircle, Marker::kStar,    Marker::kTriangle,
                                Marker::kSquare, Marker::kDiamond, Marker::kCross};
  const std::vector<std::string> names = duets_names();
  const auto index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  return {.colour = report::line_colour(index + 1),
          .width = 0,
          .marker = kMarkers[index % kMarkers.size()]};
}

std::string condition_title(const std::string& condition) {
  return fmt::format("{}: {}", condition, find_condition(condition).title);
}

report::Panel empty_panel(std::string title, const std::string& rival, Measure measure) {
  report::Panel panel{.title = std::move(title)};
  panel.x = {.label = "reals, ratio to " + rival, .scale = report::Scale::kLog10};
  panel.y = {.label = fmt::format("{}, ratio to {}",
                                  measure == Measure::kRegret ? "regret" : "simple regret", rival),
             .scale = report::Scale::kLog10};
  panel.references = {{.name = rival, .at = 1}};
  return panel;
}

// Nothing for those who have no place, as random, which sends nothing.
void add_series(const std::string& name, std::vector<std::pair<double, double>> places,
                report::Panel& panel) {
  if (places.empty()) return;
  panel.series.push_back(report::scatter(name, style_of(name), std::move(places)));
}

// What plain ask and tell sends, if it is not what the rival sends anyway.
void add_ask_tell(const SelfTuningAnalysis& analysis, const std::string& condition,
                  report::Panel& panel) {
  const auto ratio = analysis.ask_tell_ratio(condition);
  if (!ratio || panel.series.empty() || find_condition(condition).peers) return;
  panel.references.push_back({.name = "plain ask and tell (geometric mean)",
                              .at = ratio->paper,
                              .vertical = true,
                              .colour = report::palette::kInk});
}

report::Panel condition_panel(const SelfTuningAnalysis& analysis, const std::string& condition,
                              Measure measure) {
  const auto tasks = analysis.of_condition(condition);
  report::Panel panel =
      empty_panel(condition_title(condition), tasks.front()->rival().name, measure);
  for (const std::string& name : presets_in(*tasks.front())) {
    std::vector<std::pair<double, double>> places;
    for (const SelfTuningTask* task : tasks) add_place(task->find(name)->ratios, measure, places);
    add_series(name, std::move(places), panel);
  }
  add_ask_tell(analysis, condition, panel);
  return panel;
}

report::Panel stress_panel(const SelfTuningAnalysis& analysis) {
  report::Panel panel = empty_panel("stress cases", "DisKernelUCB", Measure::kRegret);
  std::vector<std::string> names;
  std::vector<std::string> cases;
  for (const std::string& condition : analysis.conditions()) {
    if (has_functions_of_its_own(condition)) continue;
    cases.push_back(condition);
    names = presets_in(*analysis.of_condition(condition).front());
  }
  for (const std::string& name : names) {
    std::vector<std::pair<double, double>> places;
    for (const std::string& condition : cases) {
      const SelfTuningMean* mean = analysis.find(condition, "all", name);
      if (mean != nullptr) add_place(mean->ratios, Measure::kRegret, places);
    }
    add_series(name, std::move(places), panel);
  }
  return panel;
}

// The shares of runs that lost the optimum: the rival's to the right, another's upwards.
report::Panel lost_panel(const SelfTuningAnalysis& analysis, const std::string& condition) {
  const auto tasks = analysis.of_condition(condition);
  const std::string& rival = tasks.front()->rival().name;
  report::Panel panel;
  panel.x = {.label = "optimum lost by " + rival + ", % of the runs", .low = -2, .high = 102};
  panel.y = {.label = "optimum lost, % of the runs", .low = -2, .high = 102};
  panel.series = {
      {.x = {0, 100}, .y = {0, 100}, .style = {.colour = report::palette::kReference, .width = 1}}};
  for (const std::string& name : presets_in(*tasks.front())) {
    std::vector<std::pair<double, double>> places;
    for (const SelfTuningTask* task : tasks) {
      places.emplace_back(100 * task->rival().recommendation.lost,
                          100 * task->find(name)->recommendation.lost);
    }
    add_series(name, std::move(places), panel);
  }
  return panel;
}

std::vector<std::string> shown_conditions(const SelfTuningAnalysis& analysis) {
  std::vector<std::string> out = analysis.conditions();
  std::erase_if(out, [](const std::string& c) { return !has_functions_of_its_own(c); });
  return out;
}

}  // namespace

std::string self_tuning_figure(const SelfTuningAnalysis& analysis) {
  report::Figure figure{
      .id = "self-tuning", .title = "Presets against the rival of each condition", .columns = 2};
  figure.description =
      "Horizontal, real numbers sent; vertical, total regret; both as ratios to the rival, on "
      "logarithmic axes. Below the line at 1 a preset has less regret. Further left is less "
      "communication.";
  for (const std::string& condition : shown_conditions(analysis)) {
    figure.panels.push_back(condition_panel(analysis, condition, Measure::kRegret));
  }
  report::Panel stress = stress_panel(analysis);
  if (!stress.series.empty()) figure.panels.push_back(std::move(stress));
  return report::draw_figure(figure);
}

std::string self_tuning_answers(const SelfTuningAnalysis& analysis) {
  report::Figure figure{.id = "self-tuning-recommendation",
                        .title = "What is recommended at the end, beside the rival's",
                        .columns = 2};
  figure.description =
      "Left, simple regret against real numbers sent, both as ratios to the rival. Right, the "
      "share of runs that lost the optimum, of the rival and of the others; below the diagonal is "
      "better than the rival.";
  for (const std::string& condition : shown_conditions(analysis)) {
    figure.panels.push_back(condition_panel(analysis, condition, Measure::kRecommendation));
    figure.panels.push_back(lost_panel(analysis, condition));
  }
  return report::draw_figure(figure);
}

}  // namespace duets::lab
