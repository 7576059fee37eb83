#include "duets/report/chart_legend.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace duets::report {
namespace {

constexpr double kRow = 17;
constexpr double kSample = 26;
constexpr double kFont = 11.5;
constexpr double kGap = 16;

double entry_width(const LegendEntry& entry) {
  return kSample + 6 + text_width(entry.name) * kFont + kGap;
}

bool has_point(const std::vector<double>& x, const std::vector<double>& y, const Panel& panel) {
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (drawable(x[i], panel.x.scale) && drawable(y[i], panel.y.scale)) return true;
  }
  return false;
}

// Corners of a regular polygon, or of a star when every second corner is drawn in.
PathData polygon(double x, double y, double radius, int corners, double turn, double inner) {
  PathData path;
  const int count = inner < 1 ? 2 * corners : corners;
  for (int i = 0; i < count; ++i) {
    const double angle = turn + 2 * std::numbers::pi * i / count;
    const double r = inner < 1 && i % 2 == 1 ? inner * radius : radius;
    const double px = x + r * std::sin(angle);
    const double py = y - r * std::cos(angle);
    i == 0 ? path.move_to(px, py) : path.line_to(px, py);
  }
  path.close();
  return path;
}

void draw_sample(SvgWriter& svg, const LegendEntry& entry, double x, double y) {
  const double middle = y + kRow / 2;
  if (entry.kind == LegendEntry::Kind::kArea) {
    svg.rect({x + 4, middle - 5, kSample - 8, 10}, {.fill = entry.fill,
                                                    .stroke = palette::kReference,
                                                    .width = 0.6,
                                                    .opacity = entry.opacity});
    return;
  }
  if (entry.kind == LegendEntry::Kind::kDot) {
    svg.circle(x + kSample / 2, middle, 4,
               {.fill = entry.fill, .stroke = palette::kAxis, .width = 0.6});
    return;
  }
  const LineStyle& style = entry.style;
  if (style.width > 0) {
    svg.line(x, middle, x + kSample, middle,
             {.stroke = style.colour, .width = style.width, .dash = style.dash});
  }
  draw_marker(svg, style, x + kSample / 2, middle);
}

}  // namespace

void draw_marker(SvgWriter& svg, const LineStyle& style, double x, double y) {
  const std::string edge = style.casing ? palette::kBlack : palette::kPaper;
  const Paint paint{.fill = style.colour, .stroke = edge, .width = style.casing ? 1.2 : 0.8};
  switch (style.marker) {
    case Marker::kNone:
      return;
    case Marker::kCircle:
      return svg.circle(x, y, 4, paint);
    case Marker::kSquare:
      return svg.rect({x - 3.5, y - 3.5, 7, 7}, paint);
    case Marker::kTriangle:
      return svg.path(polygon(x, y + 0.8, 5, 3, 0, 1), paint);
    case Marker::kDiamond:
      return svg.path(polygon(x, y, 5, 4, 0, 1), paint);
    case Marker::kCross: {
      PathData path;
      for (const double sign : {1.0, -1.0}) {
        path.move_to(x - 3.5, y - sign * 3.5);
        path.line_to(x + 3.5, y + sign * 3.5);
      }
      return svg.path(path, {.stroke = style.colour, .width = 2});
    }
    case Marker::kStar:
      return svg.path(polygon(x, y, 9, 5, 0, 0.45), paint);
  }
}

double Legend::height() const {
  return rows.empty() ? 0 : kRow * static_cast<double>(rows.size()) + 4;
}

std::vector<LegendEntry> legend_entries(const Panel& panel) {
  using Kind = LegendEntry::Kind;
  std::vector<LegendEntry> entries;
  const auto add = [&](Kind kind, const std::string& name, const LineStyle& style,
                       const std::string& fill, double opacity) {
    if (!name.empty()) entries.push_back({kind, name, style, fill, opacity});
  };
  for (const Series& s : panel.series) {
    if (has_point(s.x, s.y, panel)) add(Kind::kLine, s.name, s.style, "", 1);
  }
  for (const Bars& b : panel.bars) {
    if (has_point(b.x, b.y, panel)) add(Kind::kArea, b.name, {}, b.colour, 1);
  }
  for (const Band& b : panel.bands) {
    if (has_point(b.x, b.low, panel)) add(Kind::kArea, b.name, {}, b.colour, b.opacity);
  }
  for (const Scatter& s : panel.scatters) {
    if (has_point(s.x, s.y, panel)) add(Kind::kDot, s.name, {}, s.colour, 1);
  }
  for (const Contour& c : panel.contours) add(Kind::kLine, c.name, c.style, "", 1);
  for (const Reference& r : panel.references) {
    add(Kind::kLine, r.name, {.colour = r.colour, .dash = "4 3", .width = 1.2}, "", 1);
  }
  return entries;
}

Legend layout_legend(const std::vector<LegendEntry>& entries, double width) {
  Legend legend;
  double used = 0;
  for (LegendEntry entry : entries) {
    entry.name = fit_text(entry.name, kFont, width - kSample - 6);
    const double need = entry_width(entry);
    if (legend.rows.empty() || used + need - kGap > width) {
      legend.rows.emplace_back();
      used = 0;
    }
    used += need;
    legend.rows.back().push_back(std::move(entry));
  }
  return legend;
}

void draw_legend(SvgWriter& svg, const Legend& legend, double x, double y) {
  for (const auto& row : legend.rows) {
    double at = x;
    for (const LegendEntry& entry : row) {
      draw_sample(svg, entry, at, y);
      svg.text(at + kSample + 6, y + kRow / 2 + 4, {.size = kFont}, entry.name);
      at += entry_width(entry);
    }
    y += kRow;
  }
}

}  // namespace duets::report
