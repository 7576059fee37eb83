#include "duets/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace duets::base {
namespace {

std::string encoded(std::uint32_t code) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | (code >> 6)), tail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | (code >> 12)), tail(6), tail(0)};
  return {static_cast<char>(0xF0 | (code >> 18)), tail(12), tail(6), tail(0)};
}

TEST(Utf8, EveryCharacterIsReadAndNothingElse) {
  for (std::uint32_t code = 0; code < 0x110000; ++code) {
    const std::string text = encoded(code);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    const Utf8Character found = first_character(text + "x");
    ASSERT_EQ(found.length, surrogate ? 0 : text.size()) << code;
    if (!surrogate) {
      ASSERT_EQ(found.code, code);
    }
    if (text.size() > 1) {
      ASSERT_EQ(first_character(text.substr(0, text.size() - 1)).length, 0U) << code << " cut";
    }
  }
}

TEST(Utf8, WhatOnlyLooksLikeACharacterIsNone) {
  for (const char* text : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",
                           "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x28\xA1"}) {
    EXPECT_EQ(first_character(text).length, 0U) << text;
  }
}

}  // namespace
}  // namespace duets::base
