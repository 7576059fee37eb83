#include "duets/base/utf8.h"

namespace duets::base {
namespace {

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

// How long the first byte says the character is; 0 when none begins with it.
std::size_t announced_length(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  const std::size_t length = announced_length(first);
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {1, first};
  std::uint32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint8_t next = byte_at(text, i);
    if ((next & 0xC0u) != 0x80u) return {};
    code = (code << 6) | (next & 0x3Fu);
  }
  const bool too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (too_long || surrogate || code > 0x10FFFF) return {};
  return {length, code};
}

}  // namespace duets::base
