// Draws the layers of a panel into a plot area with known axes.
#pragma once

#include "duets/report/chart.h"

namespace duets::report {

/// The plot area of a panel and its axes.
struct Plot {
  Rect area;
  AxisMap x, y;
};

void draw_heat(SvgWriter& svg, const Plot& plot, const Heat& heat);
void draw_contour(SvgWriter& svg, const Plot& plot, const Contour& contour);
void draw_scatter(SvgWriter& svg, const Plot& plot, const Scatter& scatter);
void draw_band(SvgWriter& svg, const Plot& plot, const Band& band);
void draw_bars(SvgWriter& svg, const Plot& plot, const Bars& bars);
void draw_reference(SvgWriter& svg, const Plot& plot, const Reference& reference);
void draw_series(SvgWriter& svg, const Plot& plot, const Series& series);

/// The smallest and largest finite number of the grid, widened when they are equal; [0, 1] if none.
Span heat_span(const Heat& heat);

/// `series` with at most about 2000 points: the extremes and a gap of each stretch are kept.
Series thinned(const Series& series);

}  // namespace duets::report
