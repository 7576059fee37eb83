#include "duets/service/wire_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <vector>

namespace duets::service {
namespace {

struct Sequence {
  std::size_t length = 0;  // 0: not UTF-8
  std::uint32_t character = 0;
};

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

// How long the first byte says the sequence is; 0 when no sequence begins with it.
std::size_t announced_length(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

// The character at the beginning of a text that is not empty.
Sequence first_character(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  const std::size_t length = announced_length(first);
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {1, first};
  std::uint32_t character = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint8_t next = byte_at(text, i);
    if ((next & 0xC0u) != 0x80u) return {};
    character = (character << 6) | (next & 0x3Fu);
  }
  const bool too_long = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
  const bool surrogate = character >= 0xD800 && character < 0xE000;
  if (too_long || surrogate || character > 0x10FFFF) return {};
  return {length, character};
}

bool is_control(std::uint32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Sequence next = first_character(text);
    if (next.length == 0) return false;
    text.remove_prefix(next.length);
  }
  return true;
}

std::string clean_text(std::string_view text, std::size_t limit) {
  std::string clean;
  while (!text.empty()) {
    const Sequence next = first_character(text);
    const std::size_t length = next.length == 0 ? 1 : next.length;
    if (clean.size() + length > limit) break;
    if (next.length == 0) {
      clean += '?';
    } else if (is_control(next.character)) {
      clean += ' ';
    } else {
      clean += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return clean;
}

void clean_texts(google::protobuf::Message& message) {
  using google::protobuf::FieldDescriptor;
  const auto& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        clean_texts(*(field->is_repeated() ? reflection.MutableRepeatedMessage(&message, field, i)
                                           : reflection.MutableMessage(&message, field)));
      } else if (field->type() == FieldDescriptor::TYPE_STRING && field->is_repeated()) {
        reflection.SetRepeatedString(&message, field, i,
                                     clean_text(reflection.GetRepeatedString(message, field, i)));
      } else if (field->type() == FieldDescriptor::TYPE_STRING) {
        reflection.SetString(&message, field, clean_text(reflection.GetString(message, field)));
      }
    }
  }
}

}  // namespace duets::service
