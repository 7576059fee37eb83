#include "duets/report/palette.h"

#include <algorithm>
#include <cmath>
#include <string_view>

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

constexpr std::string_view kStyle = R"(
:root { color-scheme: light; --page: #f5f6f8; --ink: #1c1f24; --soft: #4d535c; --caption: #33383f;
  --paper: #ffffff; --edge: #dfe2e7; --row: #e4e7eb; --head: #9aa1ab; }
body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.5;
  font-family: Helvetica, Arial, "DejaVu Sans", sans-serif; font-size: 16px; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 60px; }
h1 { font-size: 30px; margin: 12px 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 21px; margin: 0 0 12px; }
section { background: var(--paper); border: 1px solid var(--edge); border-radius: 8px;
  padding: 20px 24px; margin: 20px 0; }
.lead { color: var(--soft); margin: 0 0 8px; overflow-wrap: anywhere; }
.cards { display: flex; flex-wrap: wrap; gap: 16px; margin: 0 0 14px; }
.card { flex: 1 1 300px; border: 1px solid var(--edge); border-radius: 6px; padding: 14px 18px; }
.card h3 { margin: 0 0 4px; font-size: 16px; }
.value { font-size: 28px; font-weight: bold; margin: 2px 0; }
.small { color: var(--soft); font-size: 14px; margin: 4px 0; }
figure { margin: 0 0 26px; }
figure svg { width: 100%; height: auto; display: block; }
figcaption { color: var(--caption); font-size: 15px; margin-top: 6px; max-width: 62em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; margin: 4px 0 14px;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0 0 6px; }
th, td { padding: 5px 10px; border-bottom: 1px solid var(--row); text-align: right;
  vertical-align: bottom; white-space: nowrap; }
thead th { border-bottom: 2px solid var(--head); font-weight: 600; }
th:first-child, td:first-child { text-align: left; }
tbody th { font-weight: 600; white-space: nowrap; }
code { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 14px;
  overflow-wrap: anywhere; }
@media print { body { background: var(--paper); } section { border: 0; padding: 0; } }
)";

std::uint8_t mix(std::uint8_t a, std::uint8_t b, double part) {
  return static_cast<std::uint8_t>(std::lround(a + part * (b - a)));
}

}  // namespace

std::string page_style() {
  const auto card = [](const char* which, const char* colour) {
    return std::string(".card:") + which + " { border-left: 5px solid " + colour + "; }\n";
  };
  return std::string(kStyle) + card("first-child", palette::kBlue) +
         card("last-child", palette::kVermilion);
}

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

std::string line_colour(std::size_t index) {
  return palette::kLines[index % palette::kLines.size()];
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
