// Legends: samples of lines, bars and dots with their names, in rows.
#pragma once

#include <string>
#include <vector>

#include "duets/report/chart.h"

namespace duets::report {

struct LegendEntry {
  enum class Kind { kLine, kArea, kDot };
  Kind kind = Kind::kLine;
  std::string name{};
  LineStyle style{};
  std::string fill{};
  double opacity = 1;
};

/// Rows of entries that fit into a width.
struct Legend {
  std::vector<std::vector<LegendEntry>> rows{};
  double height() const;
};

/// Everything in the panel that has a name and is not empty.
std::vector<LegendEntry> legend_entries(const Panel& panel);

/// Long names are cut to the width.
Legend layout_legend(const std::vector<LegendEntry>& entries, double width);

void draw_legend(SvgWriter& svg, const Legend& legend, double x, double y);

/// A marker of the style at a point.
void draw_marker(SvgWriter& svg, const LineStyle& style, double x, double y);

}  // namespace duets::report
