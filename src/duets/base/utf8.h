// UTF-8, decoded in one place: what is a character, and what only looks like one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace duets::base {

struct Utf8Character {
  std::size_t length = 0;  ///< bytes; 0: the text does not begin with a character
  std::uint32_t code = 0;
};

/// The character that a text begins with. Overlong forms, surrogates and codes above U+10FFFF are
/// none. Precondition: the text is not empty.
Utf8Character first_character(std::string_view text);

}  // namespace duets::base
