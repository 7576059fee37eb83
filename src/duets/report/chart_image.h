// Small pictures of grids, embedded in SVG as PNG: a hundredth of the size of drawn rectangles, and
// no hairlines between cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "duets/report/palette.h"

namespace duets::report {

/// A picture with a palette; index 0 is transparent, index i shows palette[i - 1].
struct IndexedImage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint8_t> indices;  ///< width * height, top row first
  std::vector<Colour> palette;        ///< 1 .. 255 colours
};

/// The bytes of the PNG file, uncompressed inside (the images are small). O(width * height).
std::vector<std::uint8_t> encode_png(const IndexedImage& image);

/// "data:image/png;base64,..." of the PNG.
std::string png_data_uri(const IndexedImage& image);

std::string base64(const std::vector<std::uint8_t>& bytes);

}  // namespace duets::report
