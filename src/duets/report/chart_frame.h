// The frame around the data of a panel: axes, ticks, grid lines, epochs, colour bar.
#pragma once

#include <string>
#include <vector>

#include "duets/report/chart.h"
#include "duets/report/chart_layers.h"

namespace duets::report {

inline constexpr double kLabelFont = 12;

/// Ticks of both axes.
struct PanelTicks {
  std::vector<Tick> x, y;
};

/// Estimated width of the widest label, pixels.
double widest(const std::vector<Tick>& ticks);

/// The range of the panel's layers on an axis.
Span panel_span(const Panel& panel, bool horizontal);

/// As many ticks as fit side by side, or one above the other.
std::vector<Tick> ticks_across(const Axis& axis, const Span& span, double width);
std::vector<Tick> ticks_upward(const Axis& axis, const Span& span, double height);

/// Space to the left of the plot for the y axis and its label.
double axis_space(const std::vector<Tick>& y_ticks);

/// Space to the right of the plot for the colour bar, 0 without one.
double bar_space(const Panel& panel, double height);

void draw_stretches(SvgWriter& svg, const Plot& plot, const std::vector<Stretch>& stretches);
void draw_grid_lines(SvgWriter& svg, const Plot& plot, const PanelTicks& ticks, bool vertical);
void draw_axes(SvgWriter& svg, const Panel& panel, const Plot& plot, const PanelTicks& ticks);
void draw_colour_bar(SvgWriter& svg, const Panel& panel, const Rect& plot);

}  // namespace duets::report
