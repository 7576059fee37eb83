#include "duets/report/chart_colour.h"

#include <algorithm>
#include <cmath>

namespace duets::report {
namespace {

constexpr std::array<Colour, 9> kViridis = {{{0x44, 0x01, 0x54},
                                             {0x47, 0x2d, 0x7b},
                                             {0x3b, 0x52, 0x8b},
                                             {0x2c, 0x72, 0x8e},
                                             {0x21, 0x91, 0x8c},
                                             {0x28, 0xae, 0x80},
                                             {0x5e, 0xc9, 0x62},
                                             {0xad, 0xdc, 0x30},
                                             {0xfd, 0xe7, 0x25}}};

std::uint8_t mix(std::uint8_t a, std::uint8_t b, double part) {
  return static_cast<std::uint8_t>(std::lround(a + part * (b - a)));
}

}  // namespace

std::string to_hex(const Colour& colour) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "#";
  for (const std::uint8_t part : {colour.red, colour.green, colour.blue}) {
    out += kDigits[part >> 4];
    out += kDigits[part & 15];
  }
  return out;
}

Colour blend(const Colour& a, const Colour& b, double part) {
  part = std::clamp(part, 0.0, 1.0);
  return {mix(a.red, b.red, part), mix(a.green, b.green, part), mix(a.blue, b.blue, part)};
}

Colour viridis(double part) {
  const double place = std::clamp(part, 0.0, 1.0) * (kViridis.size() - 1);
  const std::size_t left = std::min<std::size_t>(static_cast<std::size_t>(place), 7);
  return blend(kViridis[left], kViridis[left + 1], place - static_cast<double>(left));
}

const std::string& line_colour(std::size_t index) {
  static const std::array<std::string, 7> kColours = {"#000000", "#0072b2", "#d55e00", "#009e73",
                                                      "#cc79a7", "#e69f00", "#56b4e9"};
  return kColours[index % kColours.size()];
}

const std::string& line_dash(std::size_t index) {
  static const std::array<std::string, 5> kDashes = {"", "7 3", "2 2.5", "8 3 2 3", "12 4"};
  return kDashes[index % kDashes.size()];
}

Colour epoch_colour(std::size_t epoch, std::size_t num_epochs) {
  if (num_epochs < 2) return viridis(0.25);
  return viridis(static_cast<double>(epoch - 1) / static_cast<double>(num_epochs - 1));
}

}  // namespace duets::report
