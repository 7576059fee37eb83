#include "duets/lab/self_tuning_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/lab/self_tuning_findings.h"
#include "duets/report/chart.h"

namespace duets::lab {
namespace {

// Ratio of reals, ratio of regret: where something was sent.
void add_place(const Ratios& ratios, std::vector<std::pair<double, double>>& places) {
  const auto& regret = ratios[static_cast<std::size_t>(Measure::kRegret)];
  const auto& reals = ratios[static_cast<std::size_t>(Measure::kPaper)];
  if (regret && reals) places.emplace_back(reals->value, regret->value);
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

report::Panel empty_panel(std::string title, const std::string& rival) {
  report::Panel panel{.title = std::move(title)};
  panel.x = {.label = "reals, ratio to " + rival, .scale = report::Scale::kLog10};
  panel.y = {.label = "regret, ratio to " + rival, .scale = report::Scale::kLog10};
  panel.references = {{.name = rival, .at = 1}};
  return panel;
}

// Nothing for those who have no place, as random, which sends nothing.
void add_series(const std::string& name, std::vector<std::pair<double, double>> places,
                report::Panel& panel) {
  if (places.empty()) return;
  panel.series.push_back(report::scatter(name, style_of(name), std::move(places)));
}

report::Panel condition_panel(const SelfTuningAnalysis& analysis, const std::string& condition) {
  const auto tasks = analysis.of_condition(condition);
  report::Panel panel =
      empty_panel(fmt::format("{}: {}", condition, find_condition(condition).title),
                  tasks.front()->rival().name);
  for (const std::string& name : presets_in(*tasks.front())) {
    std::vector<std::pair<double, double>> places;
    for (const SelfTuningTask* task : tasks) add_place(task->find(name)->ratios, places);
    add_series(name, std::move(places), panel);
  }
  return panel;
}

report::Panel stress_panel(const SelfTuningAnalysis& analysis) {
  report::Panel panel = empty_panel("stress cases", "DisKernelUCB");
  for (const std::string& name : duets_names()) {
    std::vector<std::pair<double, double>> places;
    for (const std::string& condition : analysis.conditions()) {
      const SelfTuningMean* mean = analysis.find(condition, "all", name);
      if (mean != nullptr && !has_functions_of_its_own(condition)) add_place(mean->ratios, places);
    }
    add_series(name, std::move(places), panel);
  }
  return panel;
}

}  // namespace

std::string self_tuning_figure(const SelfTuningAnalysis& analysis) {
  report::Figure figure{
      .id = "self-tuning", .title = "Presets against the rival of each condition", .columns = 2};
  figure.description =
      "Horizontal, real numbers sent; vertical, total regret; both as ratios to the rival, on "
      "logarithmic axes. Below the line at 1 a preset has less regret. Further left is less "
      "communication.";
  for (const std::string& condition : analysis.conditions()) {
    if (has_functions_of_its_own(condition)) {
      figure.panels.push_back(condition_panel(analysis, condition));
    }
  }
  report::Panel stress = stress_panel(analysis);
  if (!stress.series.empty()) figure.panels.push_back(std::move(stress));
  return report::draw_figure(figure);
}

}  // namespace duets::lab
