#include "duets/service/wire_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <vector>

#include "duets/base/utf8.h"

namespace duets::service {
namespace {

bool is_control(std::uint32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

}  // namespace

std::string clean_text(std::string_view text, std::size_t limit) {
  std::string clean;
  while (!text.empty()) {
    const base::Utf8Character next = base::first_character(text);
    const std::size_t length = next.length == 0 ? 1 : next.length;
    if (clean.size() + length > limit) break;
    if (next.length == 0) {
      clean += '?';
    } else if (is_control(next.code)) {
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
