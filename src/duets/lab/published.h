// The published results: points read off the paper's figure, and final values.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace duets::lab {

/// [t, value] with t counted from 0, good to 1 or 2 percent of the axis of the figure.
using PublishedPoint = std::array<double, 2>;

struct PublishedCurve {
  std::string_view function;
  std::string_view measure;  ///< "regret" or "communication" (figure ledger)
  std::string_view algorithm;
  std::span<const PublishedPoint> points;
};

/// All curves that were read off. Points hidden by another curve or the legend are left out.
std::span<const PublishedCurve> published_curves();

/// Final values, read off likewise.
struct PublishedFinal {
  std::string_view function;
  std::string_view algorithm;
  double regret;
  double scalars;  ///< figure ledger
};
std::span<const PublishedFinal> published_finals();

/// The final values, or nullptr when there are none.
const PublishedFinal* published_final(std::string_view function, std::string_view algorithm);

}  // namespace duets::lab
