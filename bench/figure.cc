// Time against the number of points, as an SVG on standard output. Standard input has lines
// "line<TAB>NAME<TAB>dashed|-", each followed by its points "X<TAB>SECONDS".
#include <fmt/format.h>

#include <iostream>
#include <string>

#include "duets/report/chart.h"

namespace {

using duets::report::Figure;
using duets::report::Panel;
using duets::report::Series;

Series begin_line(const std::string& header, std::size_t index) {
  const std::size_t tab = header.find('\t');
  Series line{.name = header.substr(0, tab), .style = duets::report::palette_style(index, true)};
  if (header.substr(tab + 1) == "dashed") {
    line.style = {.colour = duets::report::palette::kReference, .dash = "6 4", .width = 1.4};
  }
  return line;
}

Panel read_panel(std::istream& in) {
  Panel panel;
  panel.x = {.label = "m, number of queries", .scale = duets::report::Scale::kLog10};
  panel.y = {.label = "seconds on one core", .scale = duets::report::Scale::kLog10};
  for (std::string text; std::getline(in, text);) {
    if (text.rfind("line\t", 0) == 0) {
      panel.series.push_back(begin_line(text.substr(5), panel.series.size()));
      continue;
    }
    const std::size_t tab = text.find('\t');
    panel.series.back().x.push_back(std::stod(text.substr(0, tab)));
    panel.series.back().y.push_back(std::stod(text.substr(tab + 1)));
  }
  return panel;
}

}  // namespace

int main() {
  Figure figure{.id = "cost", .title = "Mean and variance of m queries at 2000 points"};
  figure.description =
      "Seconds against the number of queries, both logarithmic. The dense posteriors rise with the "
      "third power and end at 8000 queries; the coordinator's rises linearly to ten million.";
  figure.panels.push_back(read_panel(std::cin));
  fmt::print("{}", draw_figure(figure));
}
