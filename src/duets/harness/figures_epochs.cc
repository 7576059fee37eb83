// Figures with one point per closed epoch.
#include <algorithm>

#include "duets/harness/figures.h"
#include "duets/report/chart_number.h"

namespace duets::harness {
namespace {

using protocol::EpochReport;
using Column = double (*)(const EpochReport&);

double epoch_number(const EpochReport& report) { return base::value(report.epoch); }

report::Series column(const RunResult& result, const std::string& name, std::size_t index,
                      Column value) {
  report::Series series{.name = name, .style = report::palette_style(index, true)};
  for (const EpochReport& report : result.epochs) {
    series.x.push_back(epoch_number(report));
    series.y.push_back(value(report));
  }
  return series;
}

report::Axis epoch_axis(const RunResult& result, double beyond) {
  return {.label = "epoch, j",
          .integers = true,
          .low = epoch_number(result.epochs.front()) - 0.5,
          .high = epoch_number(result.epochs.back()) + beyond + 0.5};
}

// X_1 .. X_J and, from the last cut, the region after it.
report::Panel fraction_panel(const RunResult& result) {
  report::Panel panel{.title = "Active region", .x = epoch_axis(result, 1)};
  panel.y = {.label = "size (% of the whole domain)", .scale = report::Scale::kLog10};
  report::Series sizes =
      column(result, "", 1, [](const EpochReport& r) { return 100 * r.region_fraction; });
  const EpochReport& last = result.epochs.back();
  sizes.x.push_back(epoch_number(last) + 1);
  sizes.y.push_back(100 * last.region_fraction * last.cut_acceptance);
  sizes.style.dash.clear();
  panel.series = {std::move(sizes)};
  panel.note = "The last point is the region that remains after the last cut.";
  return panel;
}

report::Panel acceptance_panel(const RunResult& result) {
  report::Panel panel{.title = "Part of the region that each cut keeps",
                      .x = epoch_axis(result, 0)};
  panel.y = {.label = "kept (% of the region)", .low = 0, .high = 108};
  report::Bars bars;
  for (const EpochReport& report : result.epochs) {
    bars.x.push_back(epoch_number(report));
    bars.y.push_back(100 * report.cut_acceptance);
    bars.labels.push_back(report::plain_number(100 * report.cut_acceptance, 3));
  }
  panel.bars = {std::move(bars)};
  panel.note = "A small part means a strong cut; a part near 100 % means little progress.";
  return panel;
}

report::Panel sizes_panel(const RunResult& result) {
  report::Panel panel{.title = "Points and inducing points", .x = epoch_axis(result, 0)};
  panel.y = {.label = "number of points", .scale = report::Scale::kLog10};
  panel.series = {column(result, "queried, all agents", 0,
                         [](const EpochReport& r) { return static_cast<double>(r.num_points); }),
                  column(result, "inducing, selected", 1,
                         [](const EpochReport& r) { return static_cast<double>(r.num_selected); }),
                  column(result, "inducing, broadcast", 2,
                         [](const EpochReport& r) { return static_cast<double>(r.num_inducing); })};
  const bool collapsed = std::any_of(
      result.epochs.begin(), result.epochs.end(),
      [](const EpochReport& r) { return r.num_distinct > 0 && r.num_distinct != r.num_points; });
  if (collapsed) {
    panel.series.push_back(column(result, "queried, different", 3, [](const EpochReport& r) {
      return static_cast<double>(r.num_distinct);
    }));
  }
  return panel;
}

report::Panel causes_panel(const RunResult& result) {
  report::Panel panel{.title = "What decides the number of inducing points",
                      .x = epoch_axis(result, 0)};
  panel.y = {.label = "variance, probability", .scale = report::Scale::kLog10};
  panel.series = {
      column(result, "largest variance", 1, [](const EpochReport& r) { return r.sigma2_max; }),
      column(result, "p, clipped to 1", 0, [](const EpochReport& r) { return r.p; }),
      column(result, "p, as computed", 2, [](const EpochReport& r) { return r.p_unclipped; })};
  return panel;
}

}  // namespace

std::string region_figure(const RunResult& result) {
  constexpr const char* kDescription =
      "Left: size of the active region as a part of the domain, by epoch, on a log axis. Right: "
      "the part of the region that the cut at the end of each epoch keeps.";
  return draw_pair(result,
                   {.id = "duets-region", .title = "active region", .description = kDescription},
                   !result.epochs.empty(), "No epoch was closed, so the region was never cut.",
                   fraction_panel, acceptance_panel);
}

std::string inducing_figure(const RunResult& result) {
  constexpr const char* kDescription =
      "Left: queried points, selected and broadcast inducing points by epoch, on a log axis. "
      "Right: largest posterior variance and the probability of becoming an inducing point.";
  return draw_pair(
      result, {.id = "duets-inducing", .title = "inducing points", .description = kDescription},
      !result.epochs.empty(), "No epoch was closed, so no inducing points were chosen.",
      sizes_panel, causes_panel);
}

}  // namespace duets::harness
