#include "duets/lab/self_tuning_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

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

// The same look in every panel, whichever presets it has. A peer comes after the presets.
report::LineStyle style_of(const std::string& name) {
  using report::Marker;
  constexpr std::array kMarkers{Marker::kCircle, Marker::kStar,    Marker::kTriangle,
                                Marker::kSquare, Marker::kDiamond, Marker::kCross};
  const std::span<const protocol::Preset> presets = protocol::presets();
  const auto index = static_cast<std::size_t>(
      std::ranges::find(presets, name, &protocol::Preset::name) - presets.begin());
  return {.colour = report::line_colour(index + 1),
          .width = 0,
          .marker = kMarkers[index % kMarkers.size()]};
}

report::Panel empty_panel(std::string title) {
  report::Panel panel{.title = std::move(title)};
  panel.x = {.label = "reals, ratio to DisKernelUCB", .scale = report::Scale::kLog10};
  panel.y = {.label = "regret, ratio to DisKernelUCB", .scale = report::Scale::kLog10};
  panel.references = {{.name = "DisKernelUCB at its best", .at = 1}};
  return panel;
}

report::Panel condition_panel(const SelfTuningAnalysis& analysis, const std::string& condition) {
  report::Panel panel = empty_panel(
      fmt::format("{}: {}, a mark for each function", condition, find_condition(condition).title));
  const auto tasks = analysis.of_condition(condition);
  for (const std::string& preset : presets_in(*tasks.front())) {
    std::vector<std::pair<double, double>> places;
    for (const SelfTuningTask* task : tasks) add_place(task->find(preset)->ratios, places);
    panel.series.push_back(report::scatter(preset, style_of(preset), std::move(places)));
  }
  return panel;
}

report::Panel stress_panel(const SelfTuningAnalysis& analysis) {
  report::Panel panel = empty_panel("stress cases, a mark for each");
  for (const protocol::Preset& preset : protocol::presets()) {
    const std::string name(preset.name);
    std::vector<std::pair<double, double>> places;
    for (const std::string& condition : analysis.conditions()) {
      const SelfTuningMean* mean = analysis.find(condition, "all", name);
      if (mean != nullptr && !has_functions_of_its_own(condition)) add_place(mean->ratios, places);
    }
    if (!places.empty())
      panel.series.push_back(report::scatter(name, style_of(name), std::move(places)));
  }
  return panel;
}

}  // namespace

std::string self_tuning_figure(const SelfTuningAnalysis& analysis) {
  report::Figure figure{.id = "self-tuning",
                        .title = "Presets against DisKernelUCB at its best",
                        .columns = 2,
                        .shared_legend = true};
  figure.description =
      "Horizontal, real numbers sent; vertical, total regret; both as ratios to DisKernelUCB, on "
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
