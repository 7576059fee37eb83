#include "duets/report/chart.h"

#include <algorithm>

#include "duets/report/chart_frame.h"
#include "duets/report/chart_layers.h"
#include "duets/report/chart_legend.h"

namespace duets::report {
namespace {

constexpr double kMargin = 8;
constexpr double kTitleFont = 13.5;
constexpr double kNoteFont = 10.5;
constexpr double kBelowAxis = 36;  // tick labels and the label of the axis

// The largest rectangle of the panel's proportions inside the area, at its left.
Rect with_equal_units(const Rect& area, const Span& x, const Span& y) {
  const double unit = std::min(area.width / (x.high - x.low), area.height / (y.high - y.low));
  return {area.x, area.y, unit * (x.high - x.low), unit * (y.high - y.low)};
}

void draw_layers(SvgWriter& svg, const Panel& panel, const Plot& plot) {
  svg.begin_clip(plot.area, panel.ellipse);
  for (const Heat& h : panel.heats) draw_heat(svg, plot, h);
  for (const Band& b : panel.bands) draw_band(svg, plot, b);
  for (const Bars& b : panel.bars) draw_bars(svg, plot, b);
  for (const Reference& r : panel.references) draw_reference(svg, plot, r);
  for (const Contour& c : panel.contours) draw_contour(svg, plot, c);
  for (const Scatter& s : panel.scatters) draw_scatter(svg, plot, s);
  svg.end_clip();
  if (panel.ellipse) {
    const Rect& a = plot.area;
    svg.circle(a.x + a.width / 2, a.y + a.height / 2, a.width / 2,
               {.stroke = palette::kAxis, .width = 1.2});
  }
  // Curves lie over the frame: a marker at the edge of the plot is shown whole.
  for (const Series& s : panel.series) draw_series(svg, plot, s);
}

// Of all panels, each name once.
std::vector<LegendEntry> shared_entries(const std::vector<Panel>& panels) {
  std::vector<LegendEntry> out;
  for (const Panel& panel : panels) {
    for (LegendEntry& entry : legend_entries(panel)) {
      const bool known =
          std::ranges::any_of(out, [&](const LegendEntry& e) { return e.name == entry.name; });
      if (!known) out.push_back(std::move(entry));
    }
  }
  return out;
}

Legend panel_legend(const Panel& panel, double width) {
  return layout_legend(legend_entries(panel), width - 2 * kMargin - 24);
}

// The rectangle of the data, once everything around it has its room.
Rect inner_area(const Panel& panel, const Rect& area, const PanelSpace& space, const Span& x,
                const Span& y) {
  const double height = area.height - 2 * kMargin - space.title - space.legend - space.strip -
                        kBelowAxis - space.note;
  const double top = area.y + kMargin + space.title + space.legend + space.strip;
  const double left = area.x + kMargin + axis_space(ticks_upward(panel.y, y, height));
  const double right = area.right() - kMargin - space.right;
  const Rect inner{left, top, right - left, height};
  return panel.map ? with_equal_units(inner, x, y) : inner;
}

void draw_data(SvgWriter& svg, const Panel& panel, const Rect& area, const PanelSpace& space) {
  const Span x = panel_span(panel, true);
  const Span y = panel_span(panel, false);
  const Rect inner = inner_area(panel, area, space, x, y);
  const PanelTicks ticks{ticks_across(panel.x, x, inner.width),
                         ticks_upward(panel.y, y, inner.height)};
  const Plot plot{inner, AxisMap(panel.x.scale, x, inner.x, inner.right()),
                  AxisMap(panel.y.scale, y, inner.bottom(), inner.y)};
  if (!panel.map) {
    draw_stretches(svg, plot, panel.stretches);
    draw_grid_lines(svg, plot, ticks, panel.stretches.empty() && panel.bars.empty());
  }
  draw_axes(svg, panel, plot, ticks);
  draw_layers(svg, panel, plot);
  draw_colour_bar(svg, panel, inner);
}

}  // namespace

Series scatter(std::string name, LineStyle style, std::vector<std::pair<double, double>> places) {
  std::sort(places.begin(), places.end());
  Series series{.name = std::move(name), .style = std::move(style)};
  for (const auto& [x, y] : places) {
    series.x.push_back(x);
    series.y.push_back(y);
  }
  return series;
}

Marker line_marker(std::size_t index) {
  constexpr Marker kMarkers[] = {Marker::kCircle, Marker::kSquare, Marker::kTriangle,
                                 Marker::kDiamond, Marker::kCross};
  return kMarkers[index % 5];
}

LineStyle palette_style(std::size_t index, bool with_markers) {
  LineStyle style{.colour = line_colour(index), .dash = line_dash(index)};
  if (with_markers) style.marker = line_marker(index);
  return style;
}

PanelSpace needed_space(const Panel& panel, double width, double height, bool with_legend) {
  PanelSpace space{.with_legend = with_legend};
  if (!panel.title.empty()) space.title = 24;
  if (!panel.message.empty()) return space;
  if (with_legend) space.legend = panel_legend(panel, width).height();
  space.strip = panel.stretches.empty() ? 6 : 16;
  if (!panel.note.empty()) space.note = 18;
  // Half of the last label of the x axis stands to the right of the plot.
  const std::vector<Tick> ticks = ticks_across(panel.x, panel_span(panel, true), width);
  space.right = std::max({12.0, widest(ticks) / 2 - 4, bar_space(panel, height)});
  return space;
}

PanelSpace larger(const PanelSpace& a, const PanelSpace& b) {
  return {a.with_legend || b.with_legend, std::max(a.title, b.title), std::max(a.legend, b.legend),
          std::max(a.strip, b.strip),     std::max(a.note, b.note),   std::max(a.right, b.right)};
}

void draw_panel(SvgWriter& svg, const Panel& panel, const Rect& area, const PanelSpace& space) {
  const double left = area.x + kMargin;
  const double width = area.width - 2 * kMargin;
  // Bold letters are wider than the estimate for plain ones.
  svg.text(left, area.y + kMargin + 13, {.size = kTitleFont, .bold = true},
           fit_text(panel.title, kTitleFont * 1.06, width));
  if (!panel.message.empty()) {
    svg.text(area.x + area.width / 2, area.y + area.height / 2,
             {.size = kLabelFont, .anchor = "middle", .fill = palette::kSoft},
             fit_text(panel.message, kLabelFont, width));
    return;
  }
  if (space.with_legend) {
    draw_legend(svg, panel_legend(panel, area.width), left, area.y + kMargin + space.title);
  }
  draw_data(svg, panel, area, space);
  svg.text(left, area.bottom() - kMargin - 2, {.size = kNoteFont, .fill = palette::kSoft},
           fit_text(panel.note, kNoteFont, width));
}

std::string draw_figure(const Figure& figure) {
  constexpr double kHeadFont = 16;
  const std::size_t columns =
      std::max<std::size_t>(1, std::min(figure.columns, figure.panels.size()));
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  const double width = figure.panel_width * static_cast<double>(columns);
  const double head = figure.title.empty() ? 0 : 34;
  Legend legend;
  if (figure.shared_legend && !figure.panels.empty()) {
    legend = layout_legend(shared_entries(figure.panels), width - 2 * kMargin);
  }
  const double panels_bottom = head + figure.panel_height * static_cast<double>(rows);
  const double foot = legend.rows.empty() ? 0 : legend.height() + kMargin;
  SvgWriter svg(figure.id, width, panels_bottom + foot, figure.title, figure.description);
  if (head > 0) {
    svg.text(kMargin, 24, {.size = kHeadFont, .bold = true},
             fit_text(figure.title, kHeadFont * 1.06, width - 2 * kMargin));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t first = row * columns;
    const std::size_t last = std::min(first + columns, figure.panels.size());
    PanelSpace space{.with_legend = false};
    for (std::size_t i = first; i < last; ++i) {
      space = larger(space, needed_space(figure.panels[i], figure.panel_width, figure.panel_height,
                                         !figure.shared_legend));
    }
    for (std::size_t i = first; i < last; ++i) {
      const Rect area{static_cast<double>(i - first) * figure.panel_width,
                      head + static_cast<double>(row) * figure.panel_height, figure.panel_width,
                      figure.panel_height};
      draw_panel(svg, figure.panels[i], area, space);
    }
  }
  draw_legend(svg, legend, kMargin, panels_bottom);
  return svg.finish();
}

}  // namespace duets::report
