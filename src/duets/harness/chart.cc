#include "duets/harness/chart.h"

#include <algorithm>
#include <cmath>

#include "duets/harness/chart_layers.h"
#include "duets/harness/chart_legend.h"

namespace duets::harness {
namespace {

constexpr double kMargin = 8;
constexpr double kTitleFont = 13.5;
constexpr double kLabelFont = 12;
constexpr double kTickFont = 11;
constexpr double kStripFont = 10.5;
constexpr double kBarWidth = 14;
constexpr std::size_t kBarColours = 17;
const char* const kInk = "#222222";
const char* const kSoft = "#666666";
const char* const kGridLine = "#e4e4e4";

double tick_width(const Tick& tick) {
  return kTickFont * (text_width(tick.text) + 0.75 * text_width(tick.exponent));
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& t : ticks) width = std::max(width, tick_width(t));
  return width;
}

void write_tick(SvgWriter& svg, double x, double y, const std::string& anchor, const Tick& tick) {
  svg.text(x, y, {.size = kTickFont, .anchor = anchor, .fill = kInk}, tick.text, tick.exponent);
}

Span panel_span(const Panel& panel, bool horizontal) {
  const Axis& axis = horizontal ? panel.x : panel.y;
  Extent extent(axis.scale);
  for (const Series& s : panel.series) extent.add(horizontal ? s.x : s.y);
  for (const Scatter& s : panel.scatters) extent.add(horizontal ? s.x : s.y);
  for (const Band& b : panel.bands) {
    extent.add(horizontal ? b.x : b.low);
    if (!horizontal) extent.add(b.high);
  }
  for (const Bars& b : panel.bars) {
    if (!horizontal) extent.add(b.y);
    for (const double x : b.x) {
      if (horizontal) extent.add({x - b.width / 2 - 0.2, x + b.width / 2 + 0.2});
    }
  }
  for (const Reference& r : panel.references) {
    if (r.vertical == horizontal) extent.add(r.at);
  }
  return axis_span(axis, extent.span());
}

// As many ticks as have room side by side.
std::vector<Tick> ticks_across(const Axis& axis, const Span& span, double width) {
  std::vector<Tick> ticks;
  for (std::size_t count = 11; count >= 2; --count) {
    ticks = axis_ticks(axis, span, count);
    if ((widest(ticks) + 14) * double(ticks.size()) <= width) break;
  }
  return ticks;
}

std::vector<Tick> ticks_upward(const Axis& axis, const Span& span, double height) {
  const double room = std::clamp(height / 30, 2.0, 10.0);
  return axis_ticks(axis, span, static_cast<std::size_t>(room));
}

// The first heat map that wants a colour bar.
const Heat* barred_heat(const Panel& panel) {
  for (const Heat& h : panel.heats) {
    if (h.colour_bar) return &h;
  }
  return nullptr;
}

std::vector<Tick> bar_ticks(const Heat& heat, double height) {
  return ticks_upward({}, heat_span(heat), height);
}

double bar_space(const Panel& panel, double height) {
  const Heat* heat = barred_heat(panel);
  if (heat == nullptr) return 0;
  const double label = heat->bar_label.empty() ? 0 : kLabelFont + 8;
  return 10 + kBarWidth + 8 + widest(bar_ticks(*heat, height)) + label;
}

void draw_colour_bar(SvgWriter& svg, const Heat& heat, const Rect& plot) {
  const Rect area{plot.right() + 10, plot.y, kBarWidth, plot.height};
  std::vector<std::string> colours;
  for (std::size_t i = 0; i < kBarColours; ++i) {
    colours.push_back(to_hex(heat.colours[i * (heat.colours.size() - 1) / (kBarColours - 1)]));
  }
  svg.gradient(area, colours);
  svg.rect(area, {.stroke = kSoft, .width = 0.8});
  const AxisMap map(Scale::kLinear, heat_span(heat), area.bottom(), area.y);
  const std::vector<Tick> ticks = bar_ticks(heat, area.height);
  for (const Tick& t : ticks) {
    const double y = map(t.value);
    svg.line(area.right(), y, area.right() + 4, y, {.stroke = kSoft});
    write_tick(svg, area.right() + 7, y + 4, "start", t);
  }
  if (heat.bar_label.empty()) return;
  const double x = area.right() + 8 + widest(ticks) + kLabelFont;
  const std::string label = fit_text(heat.bar_label, kLabelFont, area.height);
  svg.text(x, area.y + area.height / 2, {.size = kLabelFont, .anchor = "middle", .rotate = -90},
           label);
}

// The largest rectangle of the panel's proportions inside the area, at its left.
Rect with_equal_units(const Rect& area, const Span& x, const Span& y) {
  const double unit = std::min(area.width / (x.high - x.low), area.height / (y.high - y.low));
  return {area.x, area.y, unit * (x.high - x.low), unit * (y.high - y.low)};
}

void draw_stretches(SvgWriter& svg, const Plot& plot, const std::vector<Stretch>& stretches) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& s = stretches[i];
    if (!plot.x.shows(s.to) || !drawable(s.from, plot.x.scale())) continue;
    const double left = std::max(plot.x(s.from), plot.area.x);
    const double right = plot.x(s.to);
    if (i % 2 == 1) {
      svg.rect({left, plot.area.y, right - left, plot.area.height}, {.fill = "#f4f4f4"});
    }
    svg.line(right, plot.area.y - 4, right, plot.area.bottom(),
             {.stroke = "#9a9a9a", .width = 0.8, .dash = "3 3"});
    for (const std::string& label : {s.label, s.short_label}) {
      if (text_width(label) * kStripFont + 4 > right - left) continue;
      svg.text((left + right) / 2, plot.area.y - 5,
               {.size = kStripFont, .anchor = "middle", .fill = kSoft}, label);
      break;
    }
  }
}

void draw_minor_ticks(SvgWriter& svg, const Plot& plot) {
  const Span& span = plot.y.span();
  if (plot.y.scale() != Scale::kLog10 || span.high / span.low > 1e6) return;
  for (double power = std::pow(10.0, std::floor(std::log10(span.low))); power < span.high;
       power *= 10) {
    for (int digit = 2; digit < 10; ++digit) {
      if (!plot.y.shows(digit * power)) continue;
      const double y = plot.y(digit * power);
      svg.line(plot.area.x - 3, y, plot.area.x, y, {.stroke = kSoft, .width = 0.7});
    }
  }
}

void draw_grid(SvgWriter& svg, const Plot& plot, const std::vector<Tick>& x_ticks,
               const std::vector<Tick>& y_ticks, bool vertical) {
  for (const Tick& t : y_ticks) {
    const double y = plot.y(t.value);
    svg.line(plot.area.x, y, plot.area.right(), y, {.stroke = kGridLine});
  }
  for (const Tick& t : x_ticks) {
    const double x = plot.x(t.value);
    if (vertical) svg.line(x, plot.area.y, x, plot.area.bottom(), {.stroke = kGridLine});
  }
}

void draw_axes(SvgWriter& svg, const Panel& panel, const Plot& plot,
               const std::vector<Tick>& x_ticks, const std::vector<Tick>& y_ticks) {
  const Rect& area = plot.area;
  const Paint ink{.stroke = "#333333"};
  if (panel.map) {
    svg.rect(area, ink);
  } else {
    svg.line(area.x, area.y, area.x, area.bottom(), ink);
    svg.line(area.x, area.bottom(), area.right(), area.bottom(), ink);
    draw_minor_ticks(svg, plot);
  }
  for (const Tick& t : x_ticks) {
    const double x = plot.x(t.value);
    svg.line(x, area.bottom(), x, area.bottom() + 5, ink);
    write_tick(svg, x, area.bottom() + 17, "middle", t);
  }
  for (const Tick& t : y_ticks) {
    const double y = plot.y(t.value);
    svg.line(area.x - 5, y, area.x, y, ink);
    write_tick(svg, area.x - 8, y + 4, "end", t);
  }
  svg.text(area.x + area.width / 2, area.bottom() + 35, {.size = kLabelFont, .anchor = "middle"},
           fit_text(panel.x.label, kLabelFont, area.width + 40));
  const double label_x = area.x - 8 - widest(y_ticks) - 8;
  svg.text(label_x, area.y + area.height / 2,
           {.size = kLabelFont, .anchor = "middle", .rotate = -90},
           fit_text(panel.y.label, kLabelFont, area.height + 30));
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
               {.stroke = "#333333", .width = 1.2});
  }
  // Curves lie over the frame: a marker at the edge of the plot is shown whole.
  for (const Series& s : panel.series) draw_series(svg, plot, s);
}

double legend_width(const Rect& area) { return area.width - 2 * kMargin - 24; }

}  // namespace

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

void draw_panel(SvgWriter& svg, const Panel& panel, const Rect& area, bool with_legend) {
  double top = area.y + kMargin;
  if (!panel.title.empty()) {
    svg.text(area.x + kMargin, top + 13, {.size = kTitleFont, .bold = true},
             fit_text(panel.title, kTitleFont * 1.06, area.width - 2 * kMargin));
    top += 24;
  }
  if (!panel.message.empty()) {
    svg.text(area.x + area.width / 2, (top + area.bottom()) / 2,
             {.size = kLabelFont, .anchor = "middle", .fill = kSoft},
             fit_text(panel.message, kLabelFont, area.width - 2 * kMargin));
    return;
  }
  if (with_legend) {
    const Legend legend = layout_legend(legend_entries(panel), legend_width(area));
    draw_legend(svg, legend, area.x + kMargin, top);
    top += legend.height();
  }
  top += panel.stretches.empty() ? 6 : 16;
  double bottom = area.bottom() - kMargin - 36;
  if (!panel.note.empty()) bottom -= 18;
  const double height = bottom - top;

  const Span x_span = panel_span(panel, true);
  const Span y_span = panel_span(panel, false);
  const std::vector<Tick> y_ticks = ticks_upward(panel.y, y_span, height);
  const double left = area.x + kMargin + kLabelFont + 8 + widest(y_ticks) + 8;
  const double right = area.right() - kMargin - std::max(12.0, bar_space(panel, height));
  Rect inner{left, top, right - left, height};
  if (panel.map) inner = with_equal_units(inner, x_span, y_span);
  const std::vector<Tick> x_ticks = ticks_across(panel.x, x_span, inner.width);
  const Plot plot{inner, AxisMap(panel.x.scale, x_span, inner.x, inner.right()),
                  AxisMap(panel.y.scale, y_span, inner.bottom(), inner.y)};

  if (!panel.map) {
    draw_stretches(svg, plot, panel.stretches);
    draw_grid(svg, plot, x_ticks, y_ticks, panel.stretches.empty() && panel.bars.empty());
  }
  draw_axes(svg, panel, plot, x_ticks, y_ticks);
  draw_layers(svg, panel, plot);
  if (const Heat* heat = barred_heat(panel)) draw_colour_bar(svg, *heat, inner);
  if (!panel.note.empty()) {
    svg.text(area.x + kMargin, area.bottom() - kMargin - 2, {.size = kStripFont, .fill = kSoft},
             fit_text(panel.note, kStripFont, area.width - 2 * kMargin));
  }
}

std::string draw_figure(const Figure& figure) {
  constexpr double kHeadFont = 16;
  const std::size_t columns =
      std::max<std::size_t>(1, std::min(figure.columns, figure.panels.size()));
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  const double width = figure.panel_width * double(columns);
  const double head = figure.title.empty() ? 0 : 34;
  Legend legend;
  if (figure.shared_legend && !figure.panels.empty()) {
    legend = layout_legend(legend_entries(figure.panels.front()), width - 2 * kMargin);
  }
  const double panels_bottom = head + figure.panel_height * double(rows);
  const double foot = legend.rows.empty() ? 0 : legend.height() + kMargin;
  SvgWriter svg(figure.id, width, panels_bottom + foot, figure.title, figure.description);
  if (head > 0) {
    svg.text(kMargin, 24, {.size = kHeadFont, .bold = true},
             fit_text(figure.title, kHeadFont * 1.06, width - 2 * kMargin));
  }
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const Rect area{double(i % columns) * figure.panel_width,
                    head + double(i / columns) * figure.panel_height, figure.panel_width,
                    figure.panel_height};
    draw_panel(svg, figure.panels[i], area, !figure.shared_legend);
  }
  draw_legend(svg, legend, kMargin, panels_bottom);
  return svg.finish();
}

}  // namespace duets::harness
