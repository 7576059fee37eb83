// Colours that stay distinguishable for colour-blind readers and in black and white.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace duets::report {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Colour&, const Colour&) = default;
};

/// "#rrggbb".
std::string to_hex(const Colour& colour);

/// From dark violet over green to yellow, lightness increasing throughout: nine anchors of the
/// viridis map, interpolated. `part` in [0, 1], clamped.
Colour viridis(double part);

/// From `a` (part 0) to `b` (part 1), clamped.
Colour blend(const Colour& a, const Colour& b, double part);

/// Seven of the colours of Okabe and Ito for lines on white (their yellow is too light for that),
/// black first; repeated cyclically.
const std::string& line_colour(std::size_t index);

/// Dash arrays to go with the line colours, solid first; repeated cyclically.
const std::string& line_dash(std::size_t index);

/// Colour of epoch `epoch` (1-based) of `num_epochs`: violet for the first, yellow for the last.
Colour epoch_colour(std::size_t epoch, std::size_t num_epochs);

}  // namespace duets::report
