#include "duets/lab/comparison_layers.h"

#include <algorithm>
#include <utility>

#include "duets/lab/published.h"
#include "duets/report/palette.h"

namespace duets::lab {
namespace {

constexpr double kFaint = 0.6;  // published points: this much white in the colour
constexpr std::size_t kMarkers = 5;
constexpr double kPublishedHorizon = 50;

std::string faint(const std::string& hex) {
  const auto part = [&](std::size_t at) {
    return static_cast<std::uint8_t>(std::stoi(hex.substr(at, 2), nullptr, 16));
  };
  return report::to_hex(report::blend({part(1), part(3), part(5)}, {255, 255, 255}, kFaint));
}

// Adds a point; where the curve holds its value until the next, also the corner before it.
void extend(report::Band& band, double x, double low, double high, bool steps) {
  if (steps && !band.x.empty()) {
    band.x.push_back(x);
    band.low.push_back(band.low.back());
    band.high.push_back(band.high.back());
  }
  band.x.push_back(x);
  band.low.push_back(low);
  band.high.push_back(high);
}

// Places of the markers: evenly, each algorithm a little further on, none close to the end.
std::vector<std::size_t> marked_entries(std::size_t count, std::size_t index) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < kMarkers; ++k) {
    const std::size_t at = count * (4 * k + index % 4 + 1) / (4 * kMarkers + 1);
    if (10 * (at + 1) < 9 * count) out.push_back(at);
  }
  return out;
}

}  // namespace

void add_band(report::Panel& panel, const ContenderAnalysis& contender, const CurveSummary& curve,
              const ComparisonLine& line, bool steps, double floor) {
  if (!contender.regret.stddev) return;
  report::Band band{.colour = line.style.colour, .opacity = 0.16};
  // Once in the legend: in DUETS' grey where it takes part.
  if (line.label == "DUETS") {
    for (report::Band& other : panel.bands) other.name.clear();
  }
  if (panel.bands.empty() || line.label == "DUETS") {
    band.name = "one standard deviation on either side";
  }
  for (std::size_t i = 0; i < contender.t.size(); ++i) {
    const double low = std::max(floor, curve.mean[i] - curve.stddev[i]);
    extend(band, contender.t[i], low, curve.mean[i] + curve.stddev[i], steps);
  }
  panel.bands.push_back(std::move(band));
}

void add_line(report::Panel& panel, const ContenderAnalysis& contender, const CurveSummary& curve,
              const ComparisonLine& line, std::size_t index, bool steps) {
  report::Series path{.x = {0}, .y = {0}, .style = line.style, .steps = steps};
  path.style.marker = report::Marker::kNone;
  for (std::size_t i = 0; i < contender.t.size(); ++i) {
    path.x.push_back(contender.t[i]);
    path.y.push_back(curve.mean[i]);
  }
  report::Series marks{.style = line.style};
  marks.style.width = 0;
  for (const std::size_t at : marked_entries(contender.t.size(), index)) {
    marks.x.push_back(contender.t[at]);
    marks.y.push_back(curve.mean[at]);
  }
  report::Series last{.name = line.label, .style = line.style};
  last.x = {path.x.back()};
  last.y = {path.y.back()};
  panel.series.insert(panel.series.end(), {std::move(path), std::move(marks), std::move(last)});
}

void add_published(report::Panel& panel, const std::string& function, const ComparisonLine& line,
                   const std::string& measure) {
  for (const PublishedCurve& curve : published_curves()) {
    if (curve.function != function || curve.algorithm != line.label || curve.measure != measure) {
      continue;
    }
    report::Scatter dots{.colour = faint(line.style.colour), .diameter = 5.5, .casing = false};
    if (line.label == "DUETS") {
      dots.name = "points read off the published figure, in fainter colours";
    }
    for (const PublishedPoint& p : curve.points) {
      dots.x.push_back(p[0] + 1);  // the published t counts from 0
      dots.y.push_back(p[1]);
    }
    panel.scatters.push_back(std::move(dots));
  }
  const PublishedFinal* last = published_final(function, line.label);
  if (last == nullptr) return;
  report::Scatter end{.colour = faint(line.style.colour), .diameter = 9};
  if (line.label == "DUETS") end.name = "end values of the published curves";
  end.x = {kPublishedHorizon};
  end.y = {measure == "regret" ? last->regret : last->scalars};
  if (end.y.front() > 0) panel.scatters.push_back(std::move(end));
}

}  // namespace duets::lab
