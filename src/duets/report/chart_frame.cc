#include "duets/report/chart_frame.h"

#include <algorithm>
#include <cmath>

namespace duets::report {
namespace {

constexpr double kTickFont = 11;
constexpr double kStripFont = 10.5;
constexpr double kBarWidth = 14;
constexpr std::size_t kBarColours = 17;

double tick_width(const Tick& tick) {
  return kTickFont * (text_width(tick.text) + 0.75 * text_width(tick.exponent));
}

void write_tick(SvgWriter& svg, double x, double y, const std::string& anchor, const Tick& tick) {
  svg.text(x, y, {.size = kTickFont, .anchor = anchor, .fill = palette::kInk}, tick.text,
           tick.exponent);
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

void draw_minor_ticks(SvgWriter& svg, const Plot& plot) {
  const Span& span = plot.y.span();
  if (plot.y.scale() != Scale::kLog10 || span.high / span.low > 1e6) return;
  for (double power = std::pow(10.0, std::floor(std::log10(span.low))); power < span.high;
       power *= 10) {
    for (int digit = 2; digit < 10; ++digit) {
      if (!plot.y.shows(digit * power)) continue;
      const double y = plot.y(digit * power);
      svg.line(plot.area.x - 3, y, plot.area.x, y, {.stroke = palette::kSoft, .width = 0.7});
    }
  }
}

}  // namespace

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& t : ticks) width = std::max(width, tick_width(t));
  return width;
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

std::vector<Tick> ticks_across(const Axis& axis, const Span& span, double width) {
  std::vector<Tick> ticks;
  for (std::size_t count = 11; count >= 2; --count) {
    ticks = axis_ticks(axis, span, count);
    if ((widest(ticks) + 14) * static_cast<double>(ticks.size()) <= width) break;
  }
  return ticks;
}

std::vector<Tick> ticks_upward(const Axis& axis, const Span& span, double height) {
  const double room = std::clamp(height / (axis.scale == Scale::kLog10 ? 22 : 30), 2.0, 10.0);
  return axis_ticks(axis, span, static_cast<std::size_t>(room));
}

double axis_space(const std::vector<Tick>& y_ticks) { return kLabelFont + 8 + widest(y_ticks) + 8; }

double bar_space(const Panel& panel, double height) {
  const Heat* heat = barred_heat(panel);
  if (heat == nullptr) return 0;
  const double label = heat->bar_label.empty() ? 0 : kLabelFont + 8;
  return 10 + kBarWidth + 8 + widest(bar_ticks(*heat, height)) + label;
}

void draw_colour_bar(SvgWriter& svg, const Panel& panel, const Rect& plot) {
  if (barred_heat(panel) == nullptr) return;
  const Heat& heat = *barred_heat(panel);
  const Rect area{plot.right() + 10, plot.y, kBarWidth, plot.height};
  std::vector<std::string> colours;
  for (std::size_t i = 0; i < kBarColours; ++i) {
    colours.push_back(to_hex(heat.colours[i * (heat.colours.size() - 1) / (kBarColours - 1)]));
  }
  svg.gradient(area, colours);
  svg.rect(area, {.stroke = palette::kSoft, .width = 0.8});
  const AxisMap map(Scale::kLinear, heat_span(heat), area.bottom(), area.y);
  const std::vector<Tick> ticks = bar_ticks(heat, area.height);
  for (const Tick& t : ticks) {
    const double y = map(t.value);
    svg.line(area.right(), y, area.right() + 4, y, {.stroke = palette::kSoft});
    write_tick(svg, area.right() + 7, y + 4, "start", t);
  }
  if (heat.bar_label.empty()) return;
  const double x = area.right() + 8 + widest(ticks) + kLabelFont;
  const std::string label = fit_text(heat.bar_label, kLabelFont, area.height);
  svg.text(x, area.y + area.height / 2, {.size = kLabelFont, .anchor = "middle", .rotate = -90},
           label);
}

void draw_stretches(SvgWriter& svg, const Plot& plot, const std::vector<Stretch>& stretches) {
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& s = stretches[i];
    if (!plot.x.shows(s.to) || !drawable(s.from, plot.x.scale())) continue;
    const double left = std::max(plot.x(s.from), plot.area.x);
    const double right = plot.x(s.to);
    if (i % 2 == 1) {
      svg.rect({left, plot.area.y, right - left, plot.area.height}, {.fill = palette::kStripe});
    }
    svg.line(right, plot.area.y - 4, right, plot.area.bottom(),
             {.stroke = palette::kStretchEnd, .width = 0.8, .dash = "3 3"});
    for (const std::string& label : {s.label, s.short_label}) {
      if (text_width(label) * kStripFont + 4 > right - left) continue;
      svg.text((left + right) / 2, plot.area.y - 5,
               {.size = kStripFont, .anchor = "middle", .fill = palette::kSoft}, label);
      break;
    }
  }
}

void draw_grid_lines(SvgWriter& svg, const Plot& plot, const PanelTicks& ticks, bool vertical) {
  for (const Tick& t : ticks.y) {
    const double y = plot.y(t.value);
    svg.line(plot.area.x, y, plot.area.right(), y, {.stroke = palette::kGridLine});
  }
  for (const Tick& t : ticks.x) {
    const double x = plot.x(t.value);
    if (vertical) svg.line(x, plot.area.y, x, plot.area.bottom(), {.stroke = palette::kGridLine});
  }
}

void draw_axes(SvgWriter& svg, const Panel& panel, const Plot& plot, const PanelTicks& ticks) {
  const Rect& area = plot.area;
  const Paint ink{.stroke = palette::kAxis};
  if (panel.map) {
    svg.rect(area, ink);
  } else {
    svg.line(area.x, area.y, area.x, area.bottom(), ink);
    svg.line(area.x, area.bottom(), area.right(), area.bottom(), ink);
    draw_minor_ticks(svg, plot);
  }
  for (const Tick& t : ticks.x) {
    const double x = plot.x(t.value);
    svg.line(x, area.bottom(), x, area.bottom() + 5, ink);
    write_tick(svg, x, area.bottom() + 17, "middle", t);
  }
  for (const Tick& t : ticks.y) {
    const double y = plot.y(t.value);
    svg.line(area.x - 5, y, area.x, y, ink);
    write_tick(svg, area.x - 8, y + 4, "end", t);
  }
  svg.text(area.x + area.width / 2, area.bottom() + 35, {.size = kLabelFont, .anchor = "middle"},
           fit_text(panel.x.label, kLabelFont, area.width + 40));
  const double label_x = area.x - 8 - widest(ticks.y) - 8;
  svg.text(label_x, area.y + area.height / 2,
           {.size = kLabelFont, .anchor = "middle", .rotate = -90},
           fit_text(panel.y.label, kLabelFont, area.height + 30));
}

}  // namespace duets::report
