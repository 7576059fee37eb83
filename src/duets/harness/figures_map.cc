// The map of a two-dimensional study.
#include <algorithm>
#include <limits>

#include "duets/harness/figures.h"
#include "duets/report/chart_number.h"

namespace duets::harness {
namespace {

constexpr std::size_t kMaxPoints = 5000;
constexpr std::size_t kCasedPoints = 1500;  // more would show only edges
constexpr std::size_t kHeatLevels = 250;
constexpr std::size_t kMaxNamed = 8;  // legend entries for epochs and boundaries
constexpr report::Colour kWhite = {255, 255, 255};
constexpr report::Colour kInnermost = {0x7d, 0x86, 0x92};

report::Grid plane(const Picture& picture, std::vector<double> values) {
  return {picture.resolution, picture.resolution, picture.low,      picture.high,
          picture.low,        picture.high,       std::move(values)};
}

std::vector<report::Colour> heat_colours() {
  std::vector<report::Colour> colours;
  for (std::size_t i = 0; i < kHeatLevels; ++i) {
    colours.push_back(report::viridis((static_cast<double>(i) + 0.5) / kHeatLevels));
  }
  return colours;
}

report::Panel empty_map(const RunResult& result, const std::string& title) {
  const Picture& picture = *result.picture;
  const auto axis = [&](std::size_t i) {
    const std::string fallback = "x" + std::to_string(i + 1);
    std::string label = i < result.coordinate_names.size() ? result.coordinate_names[i] : fallback;
    if (result.domain == "box")
      label +=
          " (scaled to 0\xE2\x80\x93"
          "1)";
    return report::Axis{.label = label, .low = picture.low, .high = picture.high};
  };
  report::Panel panel{.title = title, .x = axis(0), .y = axis(1), .map = true};
  panel.ellipse = result.domain == "ball";
  return panel;
}

// The region after cut j is where all cuts up to j keep the point: its boundary is the zero line of
// the smallest margin so far.
std::vector<report::Contour> boundaries(const Picture& picture) {
  std::vector<report::Contour> out;
  std::vector<double> smallest;
  const std::size_t count = picture.margin.size();
  for (std::size_t j = 0; j < count; ++j) {
    smallest.resize(picture.margin[j].size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < smallest.size(); ++i) {
      smallest[i] = std::min(smallest[i], picture.margin[j][i]);
    }
    report::Contour contour{.grid = plane(picture, smallest)};
    contour.style = {.dash = j + 1 == count ? "" : report::line_dash(1 + (count - 2 - j) % 4),
                     .width = 1.6,
                     .casing = true};
    if (count <= kMaxNamed) contour.name = "after epoch " + std::to_string(j + 1);
    out.push_back(std::move(contour));
  }
  if (count > kMaxNamed) out.back().name = "after epoch " + std::to_string(count);
  return out;
}

void add_recommendation(report::Panel& panel, const Picture& picture) {
  if (!picture.has_recommendation) return;
  report::LineStyle style{.colour = report::palette::kPaper,
                          .width = 0,
                          .marker = report::Marker::kStar,
                          .casing = true};
  panel.series.push_back(
      {"recommendation", {picture.recommended_x}, {picture.recommended_y}, style});
}

report::Panel surface_panel(const RunResult& result, const std::string& title,
                            const std::vector<double>& values, const std::string& unit) {
  report::Panel panel = empty_map(result, title);
  panel.heats = {{plane(*result.picture, values), heat_colours(), true, unit}};
  add_recommendation(panel, *result.picture);
  return panel;
}

// The number of regions X_2, X_3, ... that contain each point of the grid.
report::Heat nested_regions(const Picture& picture) {
  std::vector<double> depth(picture.resolution * picture.resolution, 0);
  for (const auto& inside : picture.inside) {
    for (std::size_t i = 0; i < depth.size(); ++i) depth[i] += inside[i] != 0 ? 1 : 0;
  }
  const std::size_t levels = picture.inside.size() + 1;
  report::Heat heat{.grid = plane(picture, std::move(depth))};
  for (std::size_t i = 0; i < std::min<std::size_t>(levels, 255); ++i) {
    heat.colours.push_back(
        report::blend(kWhite, kInnermost,
                      levels < 2 ? 0 : static_cast<double>(i) / static_cast<double>(levels - 1)));
  }
  return heat;
}

std::size_t num_epochs(const RunResult& result) {
  std::size_t count = result.lengths.size();
  for (const std::uint32_t e : result.picture->point_epoch) count = std::max<std::size_t>(count, e);
  return std::max<std::size_t>(count, 1);
}

std::vector<report::Scatter> scatters(const RunResult& result) {
  const Picture& picture = *result.picture;
  const std::size_t count = picture.point_x.size();
  const std::size_t drawn = std::min(count, kMaxPoints);
  const std::size_t epochs = num_epochs(result);
  std::vector<report::Scatter> out(epochs);
  for (std::size_t e = 1; e <= epochs; ++e) {
    report::Scatter& scatter = out[e - 1];
    scatter.colour = report::to_hex(report::epoch_colour(e, epochs));
    scatter.casing = drawn <= kCasedPoints;
    scatter.diameter = drawn <= kCasedPoints ? 4.6 : 3;
    if (epochs <= kMaxNamed || e == 1 || e == epochs) scatter.name = "epoch " + std::to_string(e);
  }
  for (std::size_t k = 0; k < drawn; ++k) {
    const std::size_t i = k * count / drawn;
    const std::uint32_t epoch = std::max<std::uint32_t>(1, picture.point_epoch[i]);
    out[epoch - 1].x.push_back(picture.point_x[i]);
    out[epoch - 1].y.push_back(picture.point_y[i]);
  }
  return out;
}

report::Panel points_panel(const RunResult& result) {
  const Picture& picture = *result.picture;
  report::Panel panel = empty_map(result, "Queried points over the nested regions");
  panel.heats = {nested_regions(picture)};
  panel.scatters = scatters(result);
  panel.note = "Darker: kept by more cuts.";
  const std::size_t drawn = std::min(picture.point_x.size(), kMaxPoints);
  const std::uint64_t count = picture.point_stride > 1
                                  ? std::uint64_t{result.agents} * result.horizon
                                  : picture.point_x.size();
  if (count > drawn) {
    panel.note +=
        " " + report::grouped(drawn) + " of " + report::grouped(count) + " points, evenly chosen.";
  }
  return panel;
}

}  // namespace

bool has_map(const RunResult& result) {
  if (!result.picture || result.picture->resolution < 2) return false;
  const Picture& p = *result.picture;
  const std::size_t cells = p.resolution * p.resolution;
  const auto fits = [cells](const auto& grid) { return grid.size() == cells; };
  return (p.mean.empty() || fits(p.mean)) && (p.truth.empty() || fits(p.truth)) &&
         std::all_of(p.inside.begin(), p.inside.end(), fits) &&
         std::all_of(p.margin.begin(), p.margin.end(), fits) &&
         p.point_x.size() == p.point_y.size() && p.point_x.size() == p.point_epoch.size() &&
         p.low < p.high;
}

std::string map_figure(const RunResult& result) {
  report::Figure figure{
      .id = "duets-map", .title = figure_title(result, "the plane"), .columns = 3};
  figure.panel_width = 370;
  figure.panel_height = 378;
  figure.description =
      "Posterior mean with the boundary of the region after each epoch; queried points coloured by "
      "epoch over the nested regions, darker further in; the true function where it is known.";
  if (!has_map(result)) {
    figure.panels = {{.message = "No map: the study is not two-dimensional."}};
    return report::draw_figure(figure);
  }
  const Picture& picture = *result.picture;
  if (!picture.mean.empty()) {
    figure.panels.push_back(surface_panel(result, "Posterior mean and region boundaries",
                                          picture.mean, "mean (model units)"));
    figure.panels.back().contours = boundaries(picture);
  }
  figure.panels.push_back(points_panel(result));
  if (!picture.truth.empty()) {
    figure.panels.push_back(
        surface_panel(result, "True function", picture.truth, "value without noise"));
  }
  return report::draw_figure(figure);
}

}  // namespace duets::harness
