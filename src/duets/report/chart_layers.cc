#include "duets/report/chart_layers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "duets/report/chart_image.h"
#include "duets/report/chart_legend.h"

namespace duets::report {
namespace {

constexpr std::size_t kMaxStretches = 1000;
constexpr double kBarFont = 11;

bool can_draw(const Plot& plot, double x, double y) {
  return drawable(x, plot.x.scale()) && drawable(y, plot.y.scale());
}

// Runs of points that can be drawn: [first, last) indices.
std::vector<std::pair<std::size_t, std::size_t>> runs(const Plot& plot, const Series& s) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  const std::size_t count = std::min(s.x.size(), s.y.size());
  std::size_t i = 0;
  while (i < count) {
    while (i < count && !can_draw(plot, s.x[i], s.y[i])) ++i;
    const std::size_t first = i;
    while (i < count && can_draw(plot, s.x[i], s.y[i])) ++i;
    if (i > first) out.emplace_back(first, i);
  }
  return out;
}

void add_run(PathData& path, const Plot& plot, const Series& s, std::size_t first,
             std::size_t last) {
  path.move_to(plot.x(s.x[first]), plot.y(s.y[first]));
  for (std::size_t i = first + 1; i < last; ++i) {
    if (s.steps) path.line_to(plot.x(s.x[i]), plot.y(s.y[i - 1]));
    path.line_to(plot.x(s.x[i]), plot.y(s.y[i]));
  }
}

void stroke(SvgWriter& svg, const PathData& path, const LineStyle& style) {
  if (style.casing) {
    svg.path(path, {.stroke = palette::kPaper, .width = style.width + 2.2, .opacity = 0.85});
  }
  svg.path(path, {.stroke = style.colour, .width = style.width, .dash = style.dash});
}

// Indices of the smallest and the largest number, and of a gap if there is one, increasing.
std::set<std::size_t> extremes(const std::vector<double>& y, std::size_t first, std::size_t last) {
  std::set<std::size_t> found;
  std::optional<std::size_t> low;
  std::optional<std::size_t> high;
  for (std::size_t i = first; i < last; ++i) {
    if (!std::isfinite(y[i])) {
      found = {i};
      continue;
    }
    if (!low || y[i] < y[*low]) low = i;
    if (!high || y[i] > y[*high]) high = i;
  }
  if (low) found.insert({*low, *high});
  return found;
}

// The grid points are the centres of the cells, so the picture reaches half a cell further.
Rect heat_area(const Plot& plot, const Grid& grid) {
  const auto end = [](double place, std::size_t count) {
    return place + static_cast<double>(count) - 1;
  };
  const double left = plot.x(grid.x(-0.5));
  const double right = plot.x(grid.x(end(0.5, grid.width)));
  const double bottom = plot.y(grid.y(-0.5));
  const double top = plot.y(grid.y(end(0.5, grid.height)));
  return {left, top, right - left, bottom - top};
}

}  // namespace

Span heat_span(const Heat& heat) {
  Extent extent(Scale::kLinear);
  extent.add(heat.grid.values);
  if (!extent.span()) return {0, 1};
  const Span span = *extent.span();
  if (span.high > span.low) return span;
  return axis_span({}, span);
}

void draw_heat(SvgWriter& svg, const Plot& plot, const Heat& heat) {
  const Grid& grid = heat.grid;
  if (grid.width < 2 || grid.height < 2 || heat.colours.empty()) return;
  const Span span = heat_span(heat);
  const auto levels = static_cast<double>(heat.colours.size());
  IndexedImage image{grid.width, grid.height, {}, heat.colours};
  image.indices.resize(grid.width * grid.height, 0);
  for (std::size_t row = 0; row < grid.height; ++row) {
    for (std::size_t column = 0; column < grid.width; ++column) {
      const double v = grid.values[(grid.height - 1 - row) * grid.width + column];
      if (!drawable(v, Scale::kLinear)) continue;
      const double part = (v - span.low) / (span.high - span.low);
      const double level = std::clamp(std::floor(part * levels), 0.0, levels - 1);
      image.indices[row * grid.width + column] = static_cast<std::uint8_t>(1 + level);
    }
  }
  svg.image(heat_area(plot, grid), png_data_uri(image));
}

void draw_contour(SvgWriter& svg, const Plot& plot, const Contour& contour) {
  PathData path;
  for (const Polyline& line : contour_lines(contour.grid, contour.level)) {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      const double x = plot.x(line.x[i]);
      const double y = plot.y(line.y[i]);
      i == 0 ? path.move_to(x, y) : path.line_to(x, y);
    }
    if (line.closed) path.close();
  }
  stroke(svg, path, contour.style);
}

void draw_scatter(SvgWriter& svg, const Plot& plot, const Scatter& scatter) {
  PathData path;
  for (std::size_t i = 0; i < std::min(scatter.x.size(), scatter.y.size()); ++i) {
    if (!can_draw(plot, scatter.x[i], scatter.y[i])) continue;
    path.dot(plot.x(scatter.x[i]), plot.y(scatter.y[i]));
  }
  Paint paint{.stroke = palette::kInk, .width = scatter.diameter + 1.2};
  paint.round_caps = true;
  if (scatter.casing) svg.path(path, paint);
  paint.stroke = scatter.colour;
  paint.width = scatter.diameter;
  svg.path(path, paint);
}

void draw_band(SvgWriter& svg, const Plot& plot, const Band& band) {
  const std::size_t count = std::min({band.x.size(), band.low.size(), band.high.size()});
  const auto ok = [&](std::size_t i) {
    return can_draw(plot, band.x[i], band.low[i]) && can_draw(plot, band.x[i], band.high[i]);
  };
  PathData path;
  std::size_t i = 0;
  while (i < count) {
    while (i < count && !ok(i)) ++i;
    const std::size_t first = i;
    while (i < count && ok(i)) ++i;
    if (i == first) break;
    path.move_to(plot.x(band.x[first]), plot.y(band.low[first]));
    for (std::size_t k = first + 1; k < i; ++k)
      path.line_to(plot.x(band.x[k]), plot.y(band.low[k]));
    for (std::size_t k = i; k > first; --k) {
      path.line_to(plot.x(band.x[k - 1]), plot.y(band.high[k - 1]));
    }
    path.close();
  }
  svg.path(path, {.fill = band.colour, .opacity = band.opacity});
}

void draw_bars(SvgWriter& svg, const Plot& plot, const Bars& bars) {
  const bool log = plot.y.scale() == Scale::kLog10;
  const double foot =
      plot.y(log ? plot.y.span().low : std::clamp(0.0, plot.y.span().low, plot.y.span().high));
  for (std::size_t i = 0; i < std::min(bars.x.size(), bars.y.size()); ++i) {
    if (!can_draw(plot, bars.x[i], bars.y[i])) continue;
    const double left = plot.x(bars.x[i] - bars.width / 2);
    const double right = plot.x(bars.x[i] + bars.width / 2);
    const double top = plot.y(bars.y[i]);
    svg.rect({left, std::min(top, foot), right - left, std::abs(foot - top)},
             {.fill = bars.colour, .stroke = palette::kAxis, .width = 0.8});
    if (i >= bars.labels.size() || text_width(bars.labels[i]) * kBarFont > right - left + 10)
      continue;
    svg.text((left + right) / 2, std::min(top, foot) - 5, {.size = kBarFont, .anchor = "middle"},
             bars.labels[i]);
  }
}

void draw_reference(SvgWriter& svg, const Plot& plot, const Reference& reference) {
  const AxisMap& axis = reference.vertical ? plot.x : plot.y;
  if (!axis.shows(reference.at)) return;
  const double at = axis(reference.at);
  const Paint paint{.stroke = reference.colour, .width = 1.2, .dash = "4 3"};
  if (reference.vertical) {
    svg.line(at, plot.area.y, at, plot.area.bottom(), paint);
  } else {
    svg.line(plot.area.x, at, plot.area.right(), at, paint);
  }
}

Series thinned(const Series& series) {
  const std::size_t count = std::min(series.x.size(), series.y.size());
  if (count <= 2 * kMaxStretches) return series;
  Series out = series;
  out.x.clear();
  out.y.clear();
  const auto keep = [&](std::size_t i) {
    out.x.push_back(series.x[i]);
    out.y.push_back(series.y[i]);
  };
  keep(0);
  for (std::size_t k = 0; k < kMaxStretches; ++k) {
    const std::size_t first = 1 + (count - 2) * k / kMaxStretches;
    const std::size_t last = 1 + (count - 2) * (k + 1) / kMaxStretches;
    for (const std::size_t i : extremes(series.y, first, last)) keep(i);
  }
  keep(count - 1);
  return out;
}

void draw_series(SvgWriter& svg, const Plot& plot, const Series& given) {
  const Series series = thinned(given);
  PathData path;
  PathData dots;
  for (const auto& [first, last] : runs(plot, series)) {
    if (last - first == 1) {
      dots.dot(plot.x(series.x[first]), plot.y(series.y[first]));
    } else {
      add_run(path, plot, series, first, last);
    }
  }
  if (series.style.width > 0) stroke(svg, path, series.style);
  if (series.style.marker == Marker::kNone) {
    Paint paint{.stroke = series.style.colour, .width = 6};
    paint.round_caps = true;
    svg.path(dots, paint);
    return;
  }
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (!can_draw(plot, series.x[i], series.y[i])) continue;
    draw_marker(svg, series.style, plot.x(series.x[i]), plot.y(series.y[i]));
  }
}

}  // namespace duets::report
