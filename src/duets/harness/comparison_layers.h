// The layers of a comparison's panels: bands, lines with sparse markers, published points.
#pragma once

#include <string>

#include "duets/harness/analysis.h"
#include "duets/harness/chart.h"

namespace duets::harness {

/// One algorithm's look throughout a figure.
struct ComparisonLine {
  std::string label;
  LineStyle style;
};

/// Shaded, one standard deviation on either side of the mean, not below `floor`. With `steps` each
/// value holds until the next. A name puts it into the legend.
void add_band(Panel& panel, const ContenderAnalysis& contender, const CurveSummary& curve,
              const ComparisonLine& line, bool steps, double floor);

/// The mean from (0, 0) on. Lines bear markers at a few places, staggered by `index` so that they
/// do not hide each other; the last stands in the legend.
void add_line(Panel& panel, const ContenderAnalysis& contender, const CurveSummary& curve,
              const ComparisonLine& line, std::size_t index, bool steps);

/// Faint marks of the published curve of this function, algorithm and measure, if there is one.
void add_published(Panel& panel, const std::string& function, const ComparisonLine& line,
                   const std::string& measure);

}  // namespace duets::harness
