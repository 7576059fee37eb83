// The layers of a comparison's panels: bands, lines with sparse markers, published points.
#pragma once

#include <string>

#include "duets/lab/analysis.h"
#include "duets/report/chart.h"

namespace duets::lab {

/// One algorithm's look throughout a figure.
struct ComparisonLine {
  std::string label;
  report::LineStyle style;
};

/// Shaded, one standard deviation on either side of the mean, not below `floor`. With `steps` each
/// value holds until the next. A name puts it into the legend.
void add_band(report::Panel& panel, const ContenderAnalysis& contender, const CurveSummary& curve,
              const ComparisonLine& line, bool steps, double floor);

/// The mean from (0, 0) on. Lines bear markers at a few places, staggered by `index` so that they
/// do not hide each other; the last stands in the legend.
void add_line(report::Panel& panel, const ContenderAnalysis& contender, const CurveSummary& curve,
              const ComparisonLine& line, std::size_t index, bool steps);

/// Faint marks of the published curve of this function, algorithm and measure, if there is one.
void add_published(report::Panel& panel, const std::string& function, const ComparisonLine& line,
                   const std::string& measure);

}  // namespace duets::lab
