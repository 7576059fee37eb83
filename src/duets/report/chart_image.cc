#include "duets/report/chart_image.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace duets::report {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put32(Bytes& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    out.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1u ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

std::uint32_t adler32(const Bytes& data) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const std::uint8_t byte : data) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void put_chunk(Bytes& out, std::string_view type, const Bytes& data) {
  put32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out.insert(out.end(), type.begin(), type.end());
  out.insert(out.end(), data.begin(), data.end());
  put32(out, crc32(out.data() + start, out.size() - start));
}

// A zlib stream of stored blocks (RFC 1950, 1951).
Bytes stored_zlib(const Bytes& data) {
  constexpr std::size_t kBlock = 65535;
  Bytes out = {0x78, 0x01};
  for (std::size_t at = 0; at < data.size(); at += kBlock) {
    const std::size_t size = std::min(kBlock, data.size() - at);
    out.push_back(at + size == data.size() ? 1 : 0);
    const auto length = static_cast<std::uint16_t>(size);
    const auto complement = static_cast<std::uint16_t>(~length);
    for (const std::uint16_t word : {length, complement}) {
      out.push_back(static_cast<std::uint8_t>(word & 0xFF));
      out.push_back(static_cast<std::uint8_t>(word >> 8));
    }
    const auto first = data.begin() + static_cast<std::ptrdiff_t>(at);
    out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(size));
  }
  put32(out, adler32(data));
  return out;
}

}  // namespace

std::vector<std::uint8_t> encode_png(const IndexedImage& image) {
  Bytes out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  Bytes header;
  put32(header, static_cast<std::uint32_t>(image.width));
  put32(header, static_cast<std::uint32_t>(image.height));
  header.insert(header.end(), {8, 3, 0, 0, 0});  // 8 bits an index, palette, no interlacing
  put_chunk(out, "IHDR", header);

  Bytes palette = {255, 255, 255};
  for (const Colour& c : image.palette) palette.insert(palette.end(), {c.red, c.green, c.blue});
  put_chunk(out, "PLTE", palette);
  put_chunk(out, "tRNS", {0});

  Bytes rows;
  rows.reserve((image.width + 1) * image.height);
  for (std::size_t y = 0; y < image.height; ++y) {
    rows.push_back(0);  // no filter
    const auto first = image.indices.begin() + static_cast<std::ptrdiff_t>(y * image.width);
    rows.insert(rows.end(), first, first + static_cast<std::ptrdiff_t>(image.width));
  }
  put_chunk(out, "IDAT", stored_zlib(rows));
  put_chunk(out, "IEND", {});
  return out;
}

std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < count ? bytes[i + k] : 0u);
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kAlphabet[word >> (18 - 6 * k) & 63u] : '=';
    }
  }
  return out;
}

std::string png_data_uri(const IndexedImage& image) {
  return "data:image/png;base64," + base64(encode_png(image));
}

}  // namespace duets::report
