// All colours of charts and pages. Lines stay distinguishable for colour-blind readers and in black
// and white.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace duets::report {

namespace palette {

// Data: seven of the colours of Okabe and Ito for lines on white (their yellow is too light for
// that), and a highlight behind points.
inline constexpr const char* kBlack = "#000000";
inline constexpr const char* kBlue = "#0072b2";
inline constexpr const char* kVermilion = "#d55e00";
inline constexpr const char* kGreen = "#009e73";
inline constexpr const char* kPurple = "#cc79a7";
inline constexpr const char* kOrange = "#e69f00";
inline constexpr const char* kSky = "#56b4e9";
inline constexpr const char* kHighlight = "#f5d76e";
/// In the order in which lines take them.
inline constexpr std::array kLines{kBlack, kBlue, kVermilion, kGreen, kPurple, kOrange, kSky};

// Charts: what surrounds the data.
inline constexpr const char* kPaper = "#ffffff";
inline constexpr const char* kInk = "#222222";
inline constexpr const char* kAxis = "#333333";
inline constexpr const char* kSoft = "#666666";
inline constexpr const char* kReference = "#777777";
inline constexpr const char* kStretchEnd = "#9a9a9a";
inline constexpr const char* kGridLine = "#e4e4e4";
inline constexpr const char* kStripe = "#f4f4f4";

}  // namespace palette

/// The style sheet of a page.
std::string page_style();

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

/// "#rrggbb".
std::string to_hex(const Colour& colour);

/// From dark violet through green to yellow, with increasing lightness: nine anchors of the viridis
/// map, interpolated. `part` in [0, 1], clamped.
Colour viridis(double part);

/// From `a` (part 0) to `b` (part 1), clamped.
Colour blend(const Colour& a, const Colour& b, double part);

/// palette::kLines, repeated cyclically.
std::string line_colour(std::size_t index);

/// The dash arrays that go with the line colours, solid first; repeats cyclically.
const std::string& line_dash(std::size_t index);

/// Colour of epoch `epoch` (1-based) of `num_epochs`: violet for the first, yellow for the last.
Colour epoch_colour(std::size_t epoch, std::size_t num_epochs);

}  // namespace duets::report
