// Charts as data: panels with layers, laid out in a grid by a figure, drawn as one SVG.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "duets/report/chart_axis.h"
#include "duets/report/chart_contour.h"
#include "duets/report/palette.h"
#include "duets/report/svg.h"

namespace duets::report {

enum class Marker { kNone, kCircle, kSquare, kTriangle, kDiamond, kCross, kStar };

/// The marker that goes with line colour `index`; repeats cyclically.
Marker line_marker(std::size_t index);

/// The style of a line, in the panel and in the legend.
struct LineStyle {
  std::string colour = palette::kBlack;
  std::string dash{};
  double width = 1.8;  ///< 0 draws markers only
  Marker marker = Marker::kNone;
  bool casing = false;  ///< a white edge, for lines over pictures
};

/// Colour, dash and marker number `index` of the palette.
LineStyle palette_style(std::size_t index, bool with_markers);

/// A curve. x is increasing and as long as y; a value that cannot be drawn is a gap. A point
/// between two gaps is shown as a dot. More than 2000 points are thinned to the smallest and
/// largest of each stretch.
struct Series {
  std::string name{};  ///< in the legend; empty: not shown there
  std::vector<double> x{}, y{};
  LineStyle style{};
  bool steps = false;  ///< holds each value until the next x
};

/// A series of the places (x, y), sorted by x.
Series scatter(std::string name, LineStyle style, std::vector<std::pair<double, double>> places);

/// A shaded area between two curves.
struct Band {
  std::string name{};
  std::vector<double> x{}, low{}, high{};
  std::string colour = palette::kBlue;
  double opacity = 0.2;
};

/// Bars that start at the lower end of the axis (at 0 on a linear one).
struct Bars {
  std::string name{};
  std::vector<double> x{}, y{};
  std::string colour = palette::kSky;
  double width = 0.6;                 ///< in units of x
  std::vector<std::string> labels{};  ///< written above the bars; may be fewer than bars
};

/// A stretch of the x axis: a faint line at its end, its label above the panel (the short one, or
/// none, where there is no space).
struct Stretch {
  double from = 0, to = 0;
  std::string label{}, short_label{};
};

/// A faint reference line across the panel.
struct Reference {
  std::string name{};
  double at = 0;
  bool vertical = false;
  std::string colour = palette::kReference;
};

/// Colours on a grid. Values that are not finite are blank.
struct Heat {
  Grid grid{};
  std::vector<Colour> colours{};  ///< from the lowest value to the highest; at most 255
  bool colour_bar = false;
  std::string bar_label{};
};

struct Contour {
  std::string name{};
  Grid grid{};
  double level = 0;
  LineStyle style{};
};

/// Points of one kind.
struct Scatter {
  std::string name{};
  std::vector<double> x{}, y{};
  std::string colour = palette::kBlack;
  double diameter = 5;
  bool casing = true;
};

struct Panel {
  std::string title{};
  Axis x{}, y{};
  bool map = false;  ///< a picture of a plane: same unit on both axes, full frame, no grid lines
  bool ellipse = false;  ///< of a map: only the inscribed ellipse belongs to the domain
  std::vector<Heat> heats{};
  std::vector<Band> bands{};
  std::vector<Bars> bars{};
  std::vector<Stretch> stretches{};
  std::vector<Reference> references{};
  std::vector<Contour> contours{};
  std::vector<Scatter> scatters{};
  std::vector<Series> series{};
  std::string note{};     ///< a line below the axis
  std::string message{};  ///< shown instead of the data when there are none
};

/// Pixels kept free around the data of a panel.
struct PanelSpace {
  bool with_legend = true;
  double title = 0;
  double legend = 0;
  double strip = 0;  ///< labels of stretches
  double note = 0;
  double right = 0;  ///< colour bar
};

/// The margins of a panel of this size.
PanelSpace needed_space(const Panel& panel, double width, double height, bool with_legend);

/// The larger of the two in every field, so that panels side by side have plots of the same height.
PanelSpace larger(const PanelSpace& a, const PanelSpace& b);

/// Draws the panel into the area, with its title, axes and optional legend. Never writes a number
/// that is not finite. Legends are above the plot, so they cover nothing.
void draw_panel(SvgWriter& svg, const Panel& panel, const Rect& area, const PanelSpace& space);

/// Panels in rows of `columns`.
struct Figure {
  std::string id{};           ///< word of letters, digits and hyphens, unique in a page
  std::string title{};        ///< above the panels
  std::string description{};  ///< for screen readers
  std::size_t columns = 1;
  double panel_width = 520;
  double panel_height = 340;
  bool shared_legend = false;  ///< one below all panels, with each name of any panel once
  std::vector<Panel> panels{};
};

/// The SVG of the figure; the same input gives the same bytes.
std::string draw_figure(const Figure& figure);

/// File name (without folder) and SVG text.
using NamedFigure = std::pair<std::string, std::string>;

}  // namespace duets::report
